"""The WebAssembly ABI from Python with wasmtime: every vector that names a user and groups, and malformed calls (docs/abi.md)."""

import json
import os
import random
import struct
from ipaddress import IPv6Address
from pathlib import Path

from wasmtime import Engine, Instance, Module, Store

VECTORS = Path(__file__).resolve().parent.parent / "vectors"
RESOURCE_TYPES = {
    "TOPIC": 2, "GROUP": 3, "CLUSTER": 4, "TRANSACTIONAL_ID": 5, "DELEGATION_TOKEN": 6, "USER": 7, "REGISTRY": 64,
    "SUBJECT": 65,
}
OPERATIONS = [
    "ALL", "READ", "WRITE", "CREATE", "DELETE", "ALTER", "DESCRIBE", "CLUSTER_ACTION", "DESCRIBE_CONFIGS",
    "ALTER_CONFIGS", "IDEMPOTENT_WRITE", "CREATE_TOKENS", "DESCRIBE_TOKENS", "TWO_PHASE_COMMIT",
]


def text(value):
    data = value.encode()
    return struct.pack("<I", len(data)) + data


def texts(values):
    return struct.pack("<I", len(values)) + b"".join(map(text, values))


def host_text(host, dialect):
    if dialect == "kafka" and ":" in host and "/" not in host:
        return ":".join(f"{int(group, 16):x}" for group in IPv6Address(host).exploded.split(":"))
    return host


def records(policy):
    settings = policy.get("settings", {})
    dialect = settings.get("dialect", "platform")
    major, minor = map(int, settings.get("kafka_version", "4.4").split("."))
    yield struct.pack("<BBHH", 5, int(dialect == "kafka"), major, minor)
    for name in settings.get("superusers", []):
        yield b"\x06" + text(name)
    for role in policy.get("roles", []):
        for member in role.get("members", []):
            yield b"\x03" + text(role["name"]) + text(member["principal"])
    for acl in policy.get("acls", []):
        yield bytes([
            1,
            RESOURCE_TYPES[acl["resource_type"].removeprefix("RESOURCE_TYPE_")],
            4 if acl["resource_pattern_type"].endswith("PREFIXED") else 3,
            2 + OPERATIONS.index(acl["operation"].removeprefix("OPERATION_")),
            3 if acl["permission_type"].endswith("ALLOW") else 2,
        ]) + text(acl["principal"]) + text(host_text(acl["host"], dialect)) + text(acl.get("resource_name", ""))


class Host:
    """One instance of the module, and a buffer."""

    SIZE = 1 << 20

    def __init__(self, engine, module):
        self.store = Store(engine)
        self.exports = Instance(self.store, module, []).exports(self.store)
        self.buffer = self.exports["gbac_alloc"](self.store, self.SIZE)

    def call(self, name, *args, data=b""):
        self.exports["memory"].write(self.store, data, self.buffer)
        return self.exports[name](self.store, *args, self.buffer, len(data))

    def raw(self, name, *args):
        return self.exports[name](self.store, *args)

    def request(self, name, *args, host, resource):
        length = -1 if host is None else len(host.encode())
        return self.call(name, *args, length, data=(host or "").encode() + resource.encode())

    def result(self, address):
        assert address >= 0, address
        length = struct.unpack("<I", self.exports["memory"].read(self.store, address, address + 4))[0]
        return bytes(self.exports["memory"].read(self.store, address + 4, address + 4 + length))


def holds(engine, module):
    compared = 0
    for path in sorted(VECTORS.glob("*.json")):
        file = json.loads(path.read_text(encoding="utf-8"))
        host = Host(engine, module)
        assert host.call("gbac_apply", data=b"".join(records(file["policy"]))) >= 0, path
        for vector in file["tests"]:
            check, expect = vector["check"], vector["expect"]
            identity = check.get("identity")
            full = check.get("operation", "").startswith("OPERATION_") and check["resource_type"].startswith("RESOURCE_")
            if identity is None or "error" in expect or not full:
                continue
            principal = identity.get("principal") or "User:" + identity["user"]
            if principal == "User:":
                continue
            handle = host.call("gbac_open", data=text(principal) + texts(identity.get("groups", [])))
            assert handle >= 0, vector["id"]
            kind = RESOURCE_TYPES[check["resource_type"].removeprefix("RESOURCE_TYPE_")]
            operation = 2 + OPERATIONS.index(check["operation"].removeprefix("OPERATION_"))
            where = {"host": check.get("host"), "resource": check.get("resource_name", "")}
            mask = host.request("gbac_mask", handle, kind, **where)
            assert mask >= 0, vector["id"]
            assert ("allow" if mask >> operation & 1 else "deny") == expect["outcome"], vector["id"]
            words = host.result(host.request("gbac_explain", handle, operation, kind, **where)).decode()
            assert words.startswith(expect["outcome"] + ": "), (vector["id"], words)
            assert host.raw("gbac_close", handle) == 0
            compared += 1
    assert compared >= 300, compared
    return compared


ANY_POLICY = {
    "settings": {"dialect": "kafka"},
    "roles": [{"name": "writers", "members": [{"principal": "Group:eng"}]}],
    "acls": [
        {
            "permission_type": permission, "operation": operation, "resource_type": "RESOURCE_TYPE_TOPIC",
            "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "resource_name": name, "principal": principal,
            "host": host,
        }
        for permission, operation, name, principal, host in [
            ("ALLOW", "WRITE", "orders", "Role:writers", "*"),
            ("ALLOW", "READ", "orders", "User:rosa", "10.0.0.0/8"),
            ("DENY", "WRITE", "orders", "User:carl", "*"),
            ("DENY", "WRITE", "*", "Group:interns", "*"),
        ]
    ],
}
# For each user: its groups, its address, and the operations on any topic (D-73).
ANY_CASES = [
    ("User:ana", ["eng"], "10.0.0.1", ["WRITE"]),
    ("User:ana", ["eng"], None, ["WRITE"]),
    ("User:ana", [], "10.0.0.1", []),
    ("User:carl", ["eng"], "10.0.0.1", []),
    ("User:ana", ["eng", "interns"], "10.0.0.1", []),
    ("User:rosa", [], "10.0.0.1", ["READ"]),
    ("User:rosa", [], "11.0.0.1", []),
]


def finds_any_resource(engine, module):
    host = Host(engine, module)
    assert host.call("gbac_apply", data=b"".join(records(ANY_POLICY))) > 0
    topic, group = RESOURCE_TYPES["TOPIC"], RESOURCE_TYPES["GROUP"]
    for principal, groups, address, operations in ANY_CASES:
        handle = host.call("gbac_open", data=text(principal) + texts(groups))
        expected = sum(1 << 2 + OPERATIONS.index(operation) for operation in operations)
        assert host.request("gbac_any", handle, topic, host=address, resource="") == expected, (principal, groups, address)
        assert host.request("gbac_any", handle, group, host=address, resource="") == 0
    assert host.request("gbac_any", handle, topic, host="10.0.0.1", resource="orders") == -2
    assert host.request("gbac_any", handle, 99, host="10.0.0.1", resource="") == -4
    assert host.request("gbac_any", handle, topic, host="ten", resource="") == -7
    assert host.raw("gbac_close", handle) == 0
    assert host.request("gbac_any", handle, topic, host="10.0.0.1", resource="") == -9


def reads_members(engine, module):
    host = Host(engine, module)
    assert host.call("gbac_apply", data=b"".join(records({**ANY_POLICY, "roles": []}))) > 0
    ana = host.call("gbac_open", data=text("User:ana") + texts(["eng"]))
    writes = 1 << 2 + OPERATIONS.index("WRITE")

    def ask():
        return host.request("gbac_mask", ana, RESOURCE_TYPES["TOPIC"], host=None, resource="orders") & writes

    document = {"version": 1, "roles": ANY_POLICY["roles"] + [{"name": "empty"}]}
    found = host.result(host.call("gbac_members", data=json.dumps(document).encode()))
    assert found == b"\x01\x03" + text("writers") + text("Group:eng"), found
    assert ask() == 0, "reading a document changes nothing"
    assert host.call("gbac_apply", data=found[1:]) == 1
    assert ask() == writes
    for broken, words in [("{", "JSON"), ('{ "version": 1, "roles": [{ "name": "" }] }', "/roles/0/name")]:
        found = host.result(host.call("gbac_members", data=broken.encode()))
        assert found[0] == 0 and words.encode() in found, found
    assert host.call("gbac_members", data=b"\xff") == -5


def refuses(engine, module):
    numbers = random.Random(20_260_101)
    host = Host(engine, module)
    for _ in range(10_000):
        name, count = numbers.choice([
            ("gbac_apply", 0), ("gbac_open", 0), ("gbac_members", 0), ("gbac_mask", 3), ("gbac_any", 3), ("gbac_explain", 4),
            ("gbac_near_miss", 4), ("gbac_event", 1),
        ])
        wild = [numbers.randint(-(2**31), 2**31 - 1) for _ in range(count + 2)]
        assert host.raw(name, *wild) < 0
        answer = host.call(name, *wild[:count], data=numbers.randbytes(numbers.randint(1, 40)))
        # A document is never refused for what it says: its problems are the result.
        assert answer <= 0 or name in ("gbac_open", "gbac_members")


def main():
    engine = Engine()
    module = Module.from_file(engine, os.environ["GBAC_ABI"])
    assert not module.imports
    compared = holds(engine, module)
    finds_any_resource(engine, module)
    reads_members(engine, module)
    refuses(engine, module)
    print(f"{compared} vectors through the WebAssembly ABI in Python")


main()
