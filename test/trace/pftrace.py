# SPDX-License-Identifier: BSD-3-Clause
"""Reads what `proa trace --perfetto` writes, by python3-protobuf with the field numbers of Perfetto's public schema: tracks, slices, flows, counters."""
import collections

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from traced import check

KIND = descriptor_pb2.FieldDescriptorProto

# protos/perfetto/trace: message, field, number, type; "*" is repeated. Only what is looked at; all else is an error (unknown fields).
SCHEMA = """
Trace packet 1 *TracePacket
TracePacket timestamp 8 uint64
TracePacket trusted_packet_sequence_id 10 uint32
TracePacket track_event 11 TrackEvent
TracePacket interned_data 12 InternedData
TracePacket sequence_flags 13 uint32
TracePacket track_descriptor 60 TrackDescriptor
TrackDescriptor uuid 1 uint64
TrackDescriptor name 2 string
TrackDescriptor process 3 ProcessDescriptor
TrackDescriptor thread 4 ThreadDescriptor
TrackDescriptor parent_uuid 5 uint64
TrackDescriptor counter 8 CounterDescriptor
ProcessDescriptor pid 1 int32
ProcessDescriptor process_name 6 string
ThreadDescriptor pid 1 int32
ThreadDescriptor tid 2 int32
ThreadDescriptor thread_name 5 string
CounterDescriptor unit 3 int32
TrackEvent category_iids 3 *uint64
TrackEvent debug_annotations 4 *DebugAnnotation
TrackEvent type 9 int32
TrackEvent name_iid 10 uint64
TrackEvent track_uuid 11 uint64
TrackEvent counter_value 30 int64
TrackEvent flow_ids 47 *fixed64
TrackEvent terminating_flow_ids 48 *fixed64
DebugAnnotation name_iid 1 uint64
DebugAnnotation int_value 4 int64
DebugAnnotation string_value_iid 17 uint64
InternedData event_categories 1 *InternedString
InternedData event_names 2 *InternedString
InternedData debug_annotation_names 3 *InternedString
InternedData debug_annotation_string_values 29 *InternedString
InternedString iid 1 uint64
InternedString str 2 string
"""
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def trace_class():
    file = descriptor_pb2.FileDescriptorProto(name="perfetto.proto", package="p")
    messages = {}
    for line in SCHEMA.split("\n"):
        if not line:
            continue
        owner, name, number, kind = line.split()
        if owner not in messages:
            messages[owner] = file.message_type.add(name=owner)
        field = messages[owner].field.add(name=name, number=int(number))
        field.label = KIND.LABEL_REPEATED if kind.startswith("*") else KIND.LABEL_OPTIONAL
        kind = kind.lstrip("*")
        if kind[0].isupper():
            field.type, field.type_name = KIND.TYPE_MESSAGE, ".p." + kind
        else:
            field.type = getattr(KIND, "TYPE_" + kind.upper())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("p.Trace"))


class Slice:
    """A slice or an instant; flows: numbers of arrows that begin and end there."""

    def __init__(self, event, ns, name, category, notes):
        self.track, self.name, self.category, self.notes = event.track_uuid, name, category, notes
        self.begin, self.end, self.depth = ns, ns, 0


class Decoded:
    def __init__(self, path):
        trace = trace_class()()
        with open(path, "rb") as file:
            trace.ParseFromString(file.read())
        check(len(trace.UnknownFields()) == 0, "unknown fields of the trace")
        self.tracks, self.counters, self.slices = {}, collections.defaultdict(list), []
        self.flows, self.tables = collections.defaultdict(dict), {}
        events = []
        for index, packet in enumerate(trace.packet):
            self.packet(packet, index, events)
        events.sort(key=lambda event: event[0])  # stable, as Perfetto's
        self.nest(events)

    def packet(self, packet, index, events):
        check(len(packet.UnknownFields()) == 0, f"unknown fields of packet {index}")
        check(packet.trusted_packet_sequence_id == 1 and packet.sequence_flags == (1 if index == 0 else 2), f"sequence of packet {index}")
        for table in ("event_categories", "event_names", "debug_annotation_names", "debug_annotation_string_values"):
            for entry in getattr(packet.interned_data, table):
                check((table, entry.iid) not in self.tables and entry.iid > 0, f"{table} {entry.iid} is there twice")
                self.tables[table, entry.iid] = entry.str
        if packet.HasField("track_descriptor"):
            check(packet.track_descriptor.uuid not in self.tracks, "a track is there twice")
            self.tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        if packet.HasField("track_event"):
            event = packet.track_event
            check(len(event.UnknownFields()) == 0 and event.track_uuid in self.tracks, f"packet {index}: no such track, or unknown fields")
            events.append((packet.timestamp, event, *self.texts(event)))

    def texts(self, event):
        """Name, category and annotations: each number has been told of by then."""
        name = self.tables["event_names", event.name_iid] if event.HasField("name_iid") else None
        category = self.tables["event_categories", event.category_iids[0]] if event.category_iids else None
        notes = {}
        for note in event.debug_annotations:
            value = self.tables["debug_annotation_string_values", note.string_value_iid] if note.HasField("string_value_iid") else note.int_value
            notes[self.tables["debug_annotation_names", note.name_iid]] = value
        return name, category, notes

    def nest(self, events):
        open_slices = collections.defaultdict(list)
        for ns, event, name, category, notes in events:
            stack = open_slices[event.track_uuid]
            if event.type == COUNTER:
                self.counters[event.track_uuid].append((ns, event.counter_value))
                continue
            if event.type == END:
                check(stack, f"an end without a beginning at {ns}")
                here = stack.pop()
                here.end = ns
            else:
                here = Slice(event, ns, name, category, notes)
                here.depth = len(stack)
                self.slices.append(here)
                if event.type == BEGIN:
                    stack.append(here)
            for flow in event.flow_ids:
                check("from" not in self.flows[flow] and "to" not in self.flows[flow], f"flow {flow} begins late or twice")
                self.flows[flow]["from"] = (here, ns)
            for flow in event.terminating_flow_ids:
                check("from" in self.flows[flow] and "to" not in self.flows[flow], f"flow {flow} ends before it begins, or twice")
                self.flows[flow]["to"] = (here, ns)
        check(not any(open_slices.values()), "slices without an end")

    def kind(self, track):
        """The process's number and what the track shows."""
        descriptor = self.tracks[track]
        if descriptor.HasField("thread"):
            return descriptor.thread.pid - 1, descriptor.thread.thread_name
        return self.tracks[descriptor.parent_uuid].process.pid - 1, descriptor.name
