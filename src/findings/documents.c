/* SPDX-License-Identifier: BSD-3-Clause */
/* See documents.h. */
#include "findings/documents.h"
#include "base/hash.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Escapes text inside a string. */
static void write_part(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, out);
}

static void write_text(FILE *out, const char *text)
{
    fputc('"', out);
    write_part(out, text);
    fputc('"', out);
}

static void write_member(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": ", name);
    write_text(out, text);
}

/* ---- JSON ---- */

static void write_place(FILE *out, const struct proa_source *place)
{
    write_member(out, "file", place->file);
    if (place->line)
        fprintf(out, ", \"line\": %d", place->line);
    fprintf(out, ", \"address\": %llu, ", (unsigned long long)place->address);
    write_member(out, "function", place->function);
    if (place->binding[0]) {
        fprintf(out, ", ");
        write_member(out, "binding", place->binding);
    }
}

static void write_outer(FILE *out, const struct proa_source *outer, unsigned count)
{
    fprintf(out, ", \"stack\": [");
    for (unsigned i = 0; i < count; i++) {
        fprintf(out, "%s{", i ? ", " : "");
        write_place(out, &outer[i]);
        fprintf(out, "}");
    }
    fprintf(out, "]");
}

static void write_call(FILE *out, const char *role, const struct proa_found *found, int number)
{
    const struct proa_found_call *call = &found->calls[number];

    fprintf(out, "{\"role\": \"%s\", ", role);
    write_member(out, "call", call->call);
    fprintf(out, ", \"rank\": %d, ", call->rank);
    if (call->datatype[0]) {
        write_member(out, "op", call->op);
        fprintf(out, ", ");
        write_member(out, "datatype", call->datatype);
        fprintf(out, ", \"count\": %llu, ", (unsigned long long)call->count);
    }
    if (call->thread)
        fprintf(out, "\"thread\": %d, ", call->thread);
    if (call->low < call->high)
        fprintf(out, "\"%s\": [%llu, %llu], ", call->is_address ? "addresses" : "bytes",
                (unsigned long long)call->low, (unsigned long long)call->high - 1);
    write_place(out, &call->place);
    if (call->outer)
        write_outer(out, proa_found_outer(found, number), call->outer);
    fprintf(out, "}");
}

static void write_calls(FILE *out, const struct proa_found *found)
{
    static const char *const roles[] = {"first", "second", "since"};
    const char *before = "";

    fprintf(out, "\"calls\": [");
    for (int i = 0; i < PROA_FINDING_CALLS; i++)
        if (found->calls[i].call[0]) {
            fprintf(out, "%s\n     ", before);
            write_call(out, roles[i], found, i);
            before = ",";
        }
    fprintf(out, "]");
}

static void write_finding(FILE *out, const struct proa_found *found)
{
    fprintf(out, "  {\"verdict\": \"%s\", ", proa_verdict_name((enum proa_verdict)found->verdict));
    write_member(out, "id", found->id);
    fprintf(out, ",\n   ");
    write_member(out, "what", found->what);
    fprintf(out, ",\n   ");
    write_member(out, "rule", found->rule);
    fprintf(out, ",\n   ");
    write_member(out, "remedy", found->remedy);
    fprintf(out, ",\n   ");
    write_member(out, "window", found->window);
    fprintf(out, ", \"rank\": %d, \"ranks\": %d, \"count\": %llu,\n   ", found->rank, found->ranks,
            (unsigned long long)found->count);
    write_calls(out, found);
    fprintf(out, "}");
}

void proa_document_json(FILE *out, const struct proa_summary *summary)
{
    const struct proa_checked *checked = &summary->checked;

    fprintf(out, "{\"proa\": \"" PROA_VERSION "\", \"ranks\": %d, \"operations\": %llu, ",
            summary->ranks, (unsigned long long)checked->operations);
    fprintf(out,
            "\"not_checked\": %llu, \"not_kept\": %llu, \"not_told\": %llu, "
            "\"ordered_by_values\": %llu,\n",
            (unsigned long long)checked->scattered, (unsigned long long)checked->dropped,
            (unsigned long long)checked->untold, (unsigned long long)checked->by_values);
    fprintf(out, " \"findings\": [\n");
    for (int i = 0; i < summary->count; i++) {
        write_finding(out, &summary->found[i]);
        fprintf(out, "%s\n", i + 1 < summary->count ? "," : "");
    }
    fprintf(out, " ]}\n");
}

/* ---- SARIF ---- */

#define ROOT "SRCROOT" /* the name of PROA_CHECK_ROOT in paths */

/* RFC 3986: characters that are legal in a path are not escaped. */
static void write_uri(FILE *out, const char *path)
{
    fprintf(out, "\"%s", path[0] == '/' ? "file://" : "");
    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr("/-._~", *path))
            fputc(*path, out);
        else
            fprintf(out, "%%%02X", (unsigned char)*path);
    fprintf(out, "\"");
}

static void write_artifact(FILE *out, const struct proa_source *place)
{
    const char *path = place->file[0] ? proa_source_below_root(place) : "unknown";

    fprintf(out, "\"artifactLocation\": {\"uri\": ");
    write_uri(out, path);
    if (path[0] != '/' && place->file[0])
        fprintf(out, ", \"uriBaseId\": \"" ROOT "\"");
    fprintf(out, "}");
}

static void write_place_at(FILE *out, const struct proa_source *place)
{
    fprintf(out, "\"physicalLocation\": {");
    write_artifact(out, place);
    if (place->line)
        fprintf(out, ", \"region\": {\"startLine\": %d}}", place->line);
    else
        fprintf(out, ", \"address\": {\"relativeAddress\": %llu}}",
                (unsigned long long)place->address);
    if (place->function[0]) {
        fprintf(out, ", \"logicalLocations\": [{\"kind\": \"function\", ");
        write_member(out, "name", place->function);
        fprintf(out, "}]");
    }
}

static void write_frame(FILE *out, const struct proa_source *place)
{
    fprintf(out, "{\"location\": {");
    write_place_at(out, place);
    fprintf(out, "}}");
}

/* SARIF requires distinct stacks. Two calls in a loop have equal stacks, so a word is put before
 * each. */
static void write_stacks(FILE *out, const struct proa_found *found)
{
    static const char *const which[] = {"first: ", "second: "};
    const int are_two = found->calls[PROA_SECOND].call[0] != '\0';
    const char *before = "";

    fprintf(out, "\"stacks\": [");
    for (int i = PROA_FIRST; i <= PROA_SECOND; i++) {
        const struct proa_found_call *call = &found->calls[i];

        if (!call->call[0])
            continue;
        fprintf(out, "%s{\"message\": {\"text\": \"%s%s of rank %d\"}, \"frames\": [", before,
                are_two ? which[i] : "", call->call, call->rank);
        write_frame(out, &call->place);
        for (unsigned k = 0; k < call->outer; k++) {
            fprintf(out, ", ");
            write_frame(out, &proa_found_outer(found, i)[k]);
        }
        fprintf(out, "]}");
        before = ", ";
    }
    fprintf(out, "]");
}

/* ---- fingerprints ---- */

static uint64_t hash_place(uint64_t hash, const struct proa_source *place)
{
    return proa_hash_text(proa_hash_text(hash, proa_source_below_root(place)), place->function);
}

/* Hashes the rule, the calls, files and functions, which are unchanged when lines move. */
static uint64_t hash_of(const struct proa_found *found)
{
    const unsigned outers = proa_found_outers(found);
    uint64_t hash = proa_hash_text(PROA_HASH_OF_NOTHING, found->id);

    for (int i = PROA_FIRST; i <= PROA_SECOND; i++)
        hash = hash_place(proa_hash_text(hash, found->calls[i].call), &found->calls[i].place);
    for (unsigned i = 0; i < outers; i++)
        hash = hash_place(hash, &found->outer[i]);
    return hash;
}

/* Returns the hashes by number, or NULL without memory. The caller frees them. */
static uint64_t *hashes_of(const struct proa_summary *summary)
{
    uint64_t *hashes = calloc((size_t)summary->count + 1, sizeof *hashes);

    for (int i = 0; hashes && i < summary->count; i++)
        hashes[i] = hash_of(&summary->found[i]);
    return hashes;
}

/* Findings with equal hashes are numbered in the order of their lines. */
static void write_fingerprint(FILE *out, const uint64_t *hashes, int number)
{
    int before = 0;

    for (int i = 0; i < number; i++)
        before += hashes[i] == hashes[number];
    fprintf(out, ",\n     \"partialFingerprints\": {\"proa/v1\": \"%016llx:%d\"}",
            (unsigned long long)hashes[number], before + 1);
}

/* ---- results ---- */

static void write_location(FILE *out, const struct proa_found_call *call)
{
    fprintf(out, "{");
    write_place_at(out, &call->place);
    fprintf(out, ", \"message\": {\"text\": \"%s of rank %d\"}}", call->call, call->rank);
}

/* The rule was broken at the last of two calls. */
static void write_locations(FILE *out, const struct proa_found *found)
{
    const int at = found->calls[PROA_SECOND].call[0] ? PROA_SECOND : PROA_FIRST;
    const char *before = "";

    fprintf(out, "\"locations\": [");
    if (found->calls[at].call[0])
        write_location(out, &found->calls[at]);
    fprintf(out, "],\n     \"relatedLocations\": [");
    for (int i = 0; i < PROA_FINDING_CALLS; i++)
        if (i != at && found->calls[i].call[0]) {
            fprintf(out, "%s", before);
            write_location(out, &found->calls[i]);
            before = ",\n      ";
        }
    fprintf(out, "]");
}

static int is_first_of_rule(const struct proa_summary *summary, int number)
{
    for (int i = 0; i < number; i++)
        if (strcmp(summary->found[i].id, summary->found[number].id) == 0)
            return 0;
    return 1;
}

static void write_rules(FILE *out, const struct proa_summary *summary)
{
    const char *before = "";

    fprintf(out, "\"rules\": [");
    for (int i = 0; i < summary->count; i++)
        if (is_first_of_rule(summary, i)) {
            fprintf(out, "%s\n     {", before);
            write_member(out, "id", summary->found[i].id);
            fprintf(out, ", \"shortDescription\": {");
            write_member(out, "text", summary->found[i].rule);
            fprintf(out, "}}");
            before = ",";
        }
    fprintf(out, "]");
}

static void write_message(FILE *out, const struct proa_found *found)
{
    fprintf(out, "\"message\": {\"text\": \"");
    write_part(out, found->what);
    if (found->remedy[0])
        fprintf(out, ". Remedy: ");
    write_part(out, found->remedy);
    fprintf(out, ".\"}");
}

static void write_result(FILE *out, const struct proa_summary *summary, const uint64_t *hashes,
                         int number)
{
    const struct proa_found *found = &summary->found[number];
    static const char *const levels[] = {"none", "note", "warning", "error"};

    fprintf(out, "    {\"level\": \"%s\", ", levels[found->verdict]);
    write_member(out, "ruleId", found->id);
    fprintf(out, ", \"occurrenceCount\": %llu,\n     ", (unsigned long long)found->count);
    write_message(out, found);
    fprintf(out, ",\n     ");
    write_locations(out, found);
    fprintf(out, ",\n     ");
    write_stacks(out, found);
    if (hashes)
        write_fingerprint(out, hashes, number);
    fprintf(out, ",\n     \"properties\": {\"verdict\": \"%s\", ",
            proa_verdict_name((enum proa_verdict)found->verdict));
    write_member(out, "window", found->window);
    fprintf(out, ", \"rank\": %d, \"ranks\": %d}}", found->rank, found->ranks);
}

void proa_document_sarif(FILE *out, const struct proa_summary *summary)
{
    char root[PROA_SOURCE_ROOT_BYTES + 1];
    uint64_t *hashes = hashes_of(summary);

    fprintf(out, "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
                 " \"version\": \"2.1.0\",\n \"runs\": [\n"
                 "  {\"tool\": {\"driver\": {\"name\": \"Proa\", \"version\": \"" PROA_VERSION
                 "\",\n    ");
    write_rules(out, summary);
    fprintf(out, "}},\n   \"originalUriBaseIds\": {\"" ROOT "\": {\"uri\": ");
    proa_source_root(root);
    write_uri(out, strcat(root, "/"));
    fprintf(out, "}},\n   \"results\": [\n");
    for (int i = 0; i < summary->count; i++) {
        write_result(out, summary, hashes, i);
        fprintf(out, "%s\n", i + 1 < summary->count ? "," : "");
    }
    fprintf(out, "   ]}]}\n");
    free(hashes);
}
