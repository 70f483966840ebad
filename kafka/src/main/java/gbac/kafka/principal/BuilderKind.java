package gbac.kafka.principal;

/** Who builds the principals of a node, which says where their groups are. */
public enum BuilderKind {
    /** The plugin. */
    GBAC,
    /** Strimzi, from the tokens that its validator has verified. */
    STRIMZI,
    /** A builder whose principals implement {@link gbac.kafka.GroupPrincipal}. */
    OTHER
}
