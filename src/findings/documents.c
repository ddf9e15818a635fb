/* SPDX-License-Identifier: BSD-3-Clause */
/* See documents.h. */
#include "findings/documents.h"

#include <ctype.h>
#include <string.h>

/* As part of a string. */
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

static void write_call(FILE *out, const char *role, const struct proa_found_call *call)
{
    fprintf(out, "{\"role\": \"%s\", ", role);
    write_member(out, "call", call->call);
    fprintf(out, ", \"rank\": %d, ", call->rank);
    if (call->thread)
        fprintf(out, "\"thread\": %d, ", call->thread);
    if (call->low < call->high)
        fprintf(out, "\"%s\": [%llu, %llu], ", call->is_address ? "addresses" : "bytes",
                (unsigned long long)call->low, (unsigned long long)call->high - 1);
    write_member(out, "file", call->place.file);
    if (call->place.line)
        fprintf(out, ", \"line\": %d", call->place.line);
    fprintf(out, ", \"address\": %llu, ", (unsigned long long)call->place.address);
    write_member(out, "function", call->place.function);
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
            write_call(out, roles[i], &found->calls[i]);
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
    fprintf(out, "\"not_checked\": %llu, \"not_kept\": %llu, \"not_told\": %llu,\n",
            (unsigned long long)checked->scattered, (unsigned long long)checked->dropped,
            (unsigned long long)checked->untold);
    fprintf(out, " \"findings\": [\n");
    for (int i = 0; i < summary->count; i++) {
        write_finding(out, &summary->found[i]);
        fprintf(out, "%s\n", i + 1 < summary->count ? "," : "");
    }
    fprintf(out, " ]}\n");
}

/* ---- SARIF ---- */

/* RFC 3986: characters that a path may have stay as they are. */
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

static void write_location(FILE *out, const struct proa_found_call *call)
{
    const struct proa_source *place = &call->place;

    fprintf(out, "{\"physicalLocation\": {\"artifactLocation\": {\"uri\": ");
    write_uri(out, place->file[0] ? proa_source_file(place) : "unknown");
    if (place->line)
        fprintf(out, "}, \"region\": {\"startLine\": %d}}", place->line);
    else
        fprintf(out, "}, \"address\": {\"relativeAddress\": %llu}}",
                (unsigned long long)place->address);
    if (place->function[0]) {
        fprintf(out, ", \"logicalLocations\": [{\"kind\": \"function\", ");
        write_member(out, "name", place->function);
        fprintf(out, "}]");
    }
    fprintf(out, ", \"message\": {\"text\": \"%s of rank %d\"}}", call->call, call->rank);
}

/* The last of two calls is the one at which the rule was broken. */
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

static void write_result(FILE *out, const struct proa_found *found)
{
    static const char *const levels[] = {"none", "note", "warning", "error"};

    fprintf(out, "    {\"level\": \"%s\", ", levels[found->verdict]);
    write_member(out, "ruleId", found->id);
    fprintf(out, ", \"occurrenceCount\": %llu,\n     ", (unsigned long long)found->count);
    write_message(out, found);
    fprintf(out, ",\n     ");
    write_locations(out, found);
    fprintf(out, ",\n     \"properties\": {\"verdict\": \"%s\", ",
            proa_verdict_name((enum proa_verdict)found->verdict));
    write_member(out, "window", found->window);
    fprintf(out, ", \"rank\": %d, \"ranks\": %d}}", found->rank, found->ranks);
}

void proa_document_sarif(FILE *out, const struct proa_summary *summary)
{
    fprintf(out, "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
                 " \"version\": \"2.1.0\",\n \"runs\": [\n"
                 "  {\"tool\": {\"driver\": {\"name\": \"Proa\", \"version\": \"" PROA_VERSION
                 "\",\n    ");
    write_rules(out, summary);
    fprintf(out, "}},\n   \"results\": [\n");
    for (int i = 0; i < summary->count; i++) {
        write_result(out, &summary->found[i]);
        fprintf(out, "%s\n", i + 1 < summary->count ? "," : "");
    }
    fprintf(out, "   ]}]}\n");
}
