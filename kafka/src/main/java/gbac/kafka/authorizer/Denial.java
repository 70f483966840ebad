package gbac.kafka.authorizer;

/**
 * Why a request is denied.
 *
 * @param reason the kind of reason
 * @param rule the rule in Kafka's log
 * @param detail the ACL that denies, or why groups are not known; an empty text without either
 */
record Denial(DenialReason reason, String rule, String detail) {
    static final String DEFAULT_DENY = "DefaultDeny";
    static final Denial NO_MATCH = withoutMatch(DenialReason.NO_MATCH);
    static final Denial NO_GROUPS = withoutMatch(DenialReason.NO_GROUPS);
    static final Denial HOST = withoutMatch(DenialReason.HOST);
    static final Denial MEMBERS_TOO_OLD = withoutMatch(DenialReason.MEMBERS_TOO_OLD);

    private static Denial withoutMatch(DenialReason reason) {
        return new Denial(reason, DEFAULT_DENY, "");
    }
}
