package gbac.kafka.authorizer;

import gbac.kafka.engine.Records;
import gbac.kafka.engine.RoleMember;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.metadata.authorizer.StandardAcl;

/**
 * What every engine holds: the ACLs of the cluster's log and the members of roles.
 *
 * <p>Changes come from one thread at a time; {@link #acls} and {@link #size} can be called by any.
 */
final class PolicyTable {
    private static final int ADD_MEMBER = 3;
    private static final int REMOVE_MEMBER = 4;
    private static final int SETTINGS = 5;
    private static final int HASH_SEED = 8;
    private static final int KAFKA = 1;
    /** Engines take records in chunks, because their memory never shrinks. */
    private static final int CHUNK = 1 << 15;

    private final boolean matchesRanges;
    private volatile Map<Uuid, StandardAcl> acls = new ConcurrentHashMap<>();
    /** How many ACLs are the same rule for an engine. */
    private volatile Map<StandardAcl, Integer> rules = new ConcurrentHashMap<>();
    private Set<RoleMember> members = Set.of();
    /** The principals that are members of any role. */
    private volatile Set<String> memberNames = Set.of();
    private volatile boolean rolesAllow = true;
    private volatile boolean namesHosts;

    PolicyTable(boolean matchesRanges) {
        this.matchesRanges = matchesRanges;
    }

    /** The number of ACLs. */
    int size() {
        return acls.size();
    }

    /** Whether any ACL is for a host other than `*`, now or before. */
    boolean namesHosts() {
        return namesHosts;
    }

    /** The number of ACLs of roles. */
    long roleAcls() {
        return acls.values().stream().filter(AclRecords::isRole).count();
    }

    /** The ACLs that a filter selects. */
    List<AclBinding> acls(AclBindingFilter filter) {
        List<AclBinding> found = new ArrayList<>();
        for (StandardAcl acl : acls.values()) {
            AclBinding binding = acl.toBinding();
            if (filter.matches(binding)) {
                found.add(binding);
            }
        }
        return found;
    }

    /** The ACL with an ID; null if there is none. */
    StandardAcl acl(Uuid id) {
        return acls.get(id);
    }

    /** Adds an ACL; returns the records of the change. */
    Records add(Uuid id, StandardAcl acl) {
        if (acls.putIfAbsent(id, acl) != null) {
            throw new IllegalStateException("An ACL with ID " + id + " already exists.");
        }
        namesHosts |= !acl.host().equals("*");
        Records records = new Records();
        for (StandardAcl rule : AclRecords.rules(id, acl)) {
            if (rules.merge(rule, 1, Integer::sum) == 1) {
                AclRecords.write(records, true, rule, rolesAllow);
            }
        }
        return records;
    }

    /** Removes an ACL; returns the records of the change. */
    Records remove(Uuid id) {
        StandardAcl acl = acls.remove(id);
        if (acl == null) {
            throw new IllegalStateException("An ACL with ID " + id + " does not exist.");
        }
        Records records = new Records();
        for (StandardAcl rule : AclRecords.rules(id, acl)) {
            if (rules.computeIfPresent(rule, (same, count) -> count == 1 ? null : count - 1) == null) {
                AclRecords.write(records, false, rule, rolesAllow);
            }
        }
        return records;
    }

    /** Replaces all ACLs. */
    void replace(Map<Uuid, StandardAcl> snapshot) {
        Map<Uuid, StandardAcl> copy = new ConcurrentHashMap<>(snapshot.size() * 2);
        copy.putAll(snapshot);
        Map<StandardAcl, Integer> counted = new ConcurrentHashMap<>(snapshot.size() * 2);
        copy.forEach((id, acl) -> {
            for (StandardAcl rule : AclRecords.rules(id, acl)) {
                counted.merge(rule, 1, Integer::sum);
            }
        });
        acls = copy;
        rules = counted;
        namesHosts |= copy.values().stream().anyMatch(acl -> !acl.host().equals("*"));
    }

    /** Replaces the members of roles; passes the records of the change on, in chunks. */
    void replace(Set<RoleMember> current, Consumer<Records> engines) {
        Set<RoleMember> before = members;
        members = Set.copyOf(current);
        memberNames = members.stream().map(RoleMember::member).collect(Collectors.toUnmodifiableSet());
        Records records = new Records();
        for (RoleMember member : before) {
            if (!members.contains(member)) {
                write(records, REMOVE_MEMBER, member);
                flush(records, engines, CHUNK);
            }
        }
        for (RoleMember member : members) {
            if (!before.contains(member)) {
                write(records, ADD_MEMBER, member);
                flush(records, engines, CHUNK);
            }
        }
        flush(records, engines, 1);
    }

    /** Whether a user is a member of any role. */
    boolean hasMember(Session.Key user) {
        Set<String> current = memberNames;
        boolean isMember = current.contains(user.type() + ":" + user.name());
        for (String group : user.groups()) {
            isMember |= current.contains("Group:" + group);
        }
        return isMember;
    }

    /** Whether ACLs of roles allow. */
    boolean rolesAllow() {
        return rolesAllow;
    }

    /** Says whether ACLs of roles allow, or only deny because their members are outdated; passes the change on, in chunks. */
    void allowRoles(boolean allow, Consumer<Records> engines) {
        if (allow == rolesAllow) {
            return;
        }
        rolesAllow = allow;
        Records records = new Records();
        for (StandardAcl rule : rules.keySet()) {
            if (AclRecords.isRole(rule)) {
                AclRecords.write(records, false, rule, !allow);
                AclRecords.write(records, true, rule, allow);
                flush(records, engines, CHUNK);
            }
        }
        flush(records, engines, 1);
    }

    /** Passes everything on, in chunks, to an engine without a policy. */
    void writeAll(Consumer<Records> engine) {
        Records records = new Records();
        records.u8(SETTINGS).u8(KAFKA).u16(4).u16(matchesRanges ? 4 : 3);
        // Clients choose names; with a secret seed they cannot choose ones that collide.
        records.u8(HASH_SEED).u64(new SecureRandom().nextLong());
        for (RoleMember member : members) {
            write(records, ADD_MEMBER, member);
            flush(records, engine, CHUNK);
        }
        for (StandardAcl rule : rules.keySet()) {
            AclRecords.write(records, true, rule, rolesAllow);
            flush(records, engine, CHUNK);
        }
        flush(records, engine, 1);
    }

    private static void flush(Records records, Consumer<Records> engine, int least) {
        if (records.size() >= least) {
            engine.accept(records);
            records.clear();
        }
    }

    private static void write(Records records, int kind, RoleMember member) {
        records.u8(kind).text(member.role()).text(member.member());
    }
}
