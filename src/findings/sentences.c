/* SPDX-License-Identifier: BSD-3-Clause */
/* See sentences.h. */
#include "findings/sentences.h"
#include "base/settings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- color ---- */

static int is_colored(void)
{
    const char *color = proa_settings()->color;

    return strcmp(color, "always") == 0 || (strcmp(color, "auto") == 0 && isatty(STDERR_FILENO));
}

const char *proa_sentences_color(enum proa_verdict verdict)
{
    static const char *const colors[] = {"\033[1m", "\033[1;36m", "\033[1;35m", "\033[1;31m"};

    return is_colored() ? colors[verdict] : "";
}

const char *proa_sentences_plain(void)
{
    return is_colored() ? "\033[0m" : "";
}

/* ---- one piece ---- */

FILE *proa_piece_open(struct proa_piece *piece)
{
    piece->text = NULL;
    piece->out = open_memstream(&piece->text, &piece->length);
    if (piece->out)
        fputc('\n', piece->out); /* the program may have written part of a line */
    return piece->out;
}

void proa_piece_close(struct proa_piece *piece)
{
    fclose(piece->out);
    fflush(stderr);
    if (write(STDERR_FILENO, piece->text, piece->length) < 0) {
        /* an error cannot be reported anywhere else */
    }
    free(piece->text);
}

/* ---- a finding ---- */

static void say_bytes(FILE *out, const struct proa_found_call *call)
{
    const char *form = call->is_address ? ", addresses 0x%llx to 0x%llx" : ", bytes %llu to %llu";

    if (call->low < call->high)
        fprintf(out, form, (unsigned long long)call->low, (unsigned long long)call->high - 1);
}

static void say_call(FILE *out, const char *which, const struct proa_found *found, int number)
{
    const struct proa_found_call *call = &found->calls[number];

    if (!call->call[0])
        return;
    fprintf(out, "proa:   %s %s", which, call->call);
    if (call->datatype[0])
        fprintf(out, " (%s%s%s x %llu)", call->op, call->op[0] ? ", " : "", call->datatype,
                (unsigned long long)call->count);
    if (call->rank != found->rank)
        fprintf(out, " of rank %d", call->rank);
    if (call->thread)
        fprintf(out, ", thread %d", call->thread);
    say_bytes(out, call);
    fprintf(out, ", at %s", proa_sentences_color(PROA_NO_VERDICT));
    proa_source_say(out, &call->place);
    fprintf(out, "%s\n", proa_sentences_plain());
    for (unsigned i = 0; i < call->outer; i++) {
        fprintf(out, "proa:             called at ");
        proa_source_say(out, &proa_found_outer(found, number)[i]);
        fprintf(out, "\n");
    }
}

static void say(FILE *out, const struct proa_found *found)
{
    const enum proa_verdict verdict = (enum proa_verdict)found->verdict;
    const int are_two = found->calls[PROA_SECOND].call[0] != '\0';

    fprintf(out, "proa: %s%s:%s %s", proa_sentences_color(verdict), proa_verdict_name(verdict),
            proa_sentences_plain(), found->what);
    if (found->window[0])
        fprintf(out, " (window \"%s\")", found->window);
    fprintf(out, "\n");
    say_call(out, are_two ? "first: " : "call:  ", found, PROA_FIRST);
    say_call(out, "second:", found, PROA_SECOND);
    say_call(out, "since: ", found, PROA_LAST_SYNC);
    if (found->rule[0])
        fprintf(out, "proa:   rule: %s\n", found->rule);
    if (found->remedy[0])
        fprintf(out, "proa:   remedy: %s\n", found->remedy);
}

void proa_sentences_tell(const struct proa_found *found)
{
    struct proa_piece piece;

    if (!proa_piece_open(&piece))
        return;
    say(piece.out, found);
    proa_piece_close(&piece);
}
