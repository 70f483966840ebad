"""Writes a record with librdkafka and reads it again: prints the error of each, or the value that was read."""

import json
import sys
import time

from confluent_kafka import Consumer, KafkaException, Producer

bootstrap, token_file, topic, group = sys.argv[1:]
PATIENCE = 60


def token(_):
    with open(token_file, encoding="utf-8") as file:
        return file.read(), time.time() + 3600


common = {
    "bootstrap.servers": bootstrap,
    "security.protocol": "sasl_plaintext",
    "sasl.mechanisms": "OAUTHBEARER",
    "oauth_cb": token,
}


def name(error):
    return None if error is None else error.name()


def write():
    results = []
    producer = Producer({**common, "message.timeout.ms": PATIENCE * 1000})
    producer.produce(topic, "librdkafka", on_delivery=lambda error, _: results.append(name(error)))
    producer.flush(PATIENCE)
    return results[0]


def read():
    consumer = Consumer({**common, "group.id": group, "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    end = time.monotonic() + PATIENCE
    last = None
    try:
        while last != "librdkafka" and time.monotonic() < end:
            message = consumer.poll(1)
            if message is None:
                continue
            if message.error() is not None:
                return name(message.error())
            last = message.value().decode()
        return last
    finally:
        consumer.close()


try:
    print(json.dumps({"write": write(), "read": read()}))
except KafkaException as error:
    sys.exit(str(error))
