package gbac.kafka.authorizer;

/**
 * Why a request is denied.
 *
 * @param reason the kind of reason
 * @param rule the rule in Kafka's log
 * @param detail the ACL that denies, or why groups are not known; an empty text without either
 */
record Denial(DenialReason reason, String rule, String detail) {}
