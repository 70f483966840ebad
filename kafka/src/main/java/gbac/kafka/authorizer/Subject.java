package gbac.kafka.authorizer;

import gbac.kafka.principal.PrincipalGroups;

/**
 * Who sends a request.
 *
 * @param isSuperUser whether everything is allowed
 * @param groups the groups; null if they are not known, or not needed for a super user
 * @param session the session that decides; null for a super user, and for somebody whose groups are refused
 */
record Subject(boolean isSuperUser, PrincipalGroups groups, Session session) {
    static final Subject SUPER_USER = new Subject(true, null, null);
}
