/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of settings and networks (doctor.h). */
#include "doctor.h"

#include "about.h"
#include "finding.h"
#include "info.h"

#include "base/settings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wrong;

static void say_wrong(const char *sentence)
{
    wrong++;
    proa_finding(PROA_COSTS, "setting", sentence, NULL, "`proa info` lists the settings");
}

static void look_at_settings(void)
{
    proa_settings_complain(say_wrong);
    for (char **entry = environ; *entry; entry++) {
        const char *name = proa_text("%.*s", (int)strcspn(*entry, "="), *entry);
        if (strncmp(name, "PROA_", strlen("PROA_")) == 0 && !proa_info_is_setting(name))
            proa_finding(PROA_NOTED, "setting", proa_text("%s is none of Proa's", name), NULL,
                         NULL);
    }
    if (proa_settings()->disable)
        proa_finding(PROA_COSTS, "setting", "PROA_DISABLE=1", "All windows are the host's.",
                     "unset PROA_DISABLE");
    if (wrong == 0)
        proa_finding(PROA_FINE, "settings", "all have values that they can have", NULL, NULL);
}

static void look_at_network(void)
{
    struct proa_network_about about = proa_about_network();

    if (about.taken)
        proa_finding(PROA_FINE, "network",
                     proa_text("%s, by %s", about.taken, about.library ? about.library : ""), NULL,
                     NULL);
    else
        proa_finding(PROA_NOTED, "network", about.why ? about.why : "none",
                     "Windows whose ranks are on several nodes are left to the host.",
                     about.forbidden ? "unset PROA_NET" : "install libfabric (Debian: libfabric1)");
    if (about.taken && strstr(about.taken, " on lo"))
        proa_finding(PROA_NOTED, "network", "only loopback",
                     "Other nodes cannot be reached from here.", NULL);
}

void proa_doctor_setup(void)
{
    proa_finding_heading("Settings and network");
    look_at_settings();
    look_at_network();
}
