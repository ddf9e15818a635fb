# SPDX-License-Identifier: BSD-3-Clause
"""The recipes of packaging/ and the modules, against what `cmake --install` has put into a folder.

  packaging.py ROOT PREFIX MOVED HOST...    PREFIX: the folder that it was installed to, MOVED: where it is now; HOST...: the MPIs that were built

Held to it: each path that a module puts in front of a variable, the same in Tcl and in Lua; what the recipe for EasyBuild looks for; the paths below /opt/proa in
those for containers, which have to say the same, and take from the sources only what is there. Modules run by tclsh and lua where these are here.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

root, prefix, moved, *hosts = sys.argv[1:]
# What the folder in front of a variable has to hold.
HOLDS = {"PATH": "proa", "MANPATH": "man1/proa.1", "LIBRARY_PATH": "libproa-*.so", "LD_LIBRARY_PATH": "libproa-*.so", "CPATH": "proa.h",
         "PKG_CONFIG_PATH": "proa-*.pc", "CMAKE_PREFIX_PATH": "lib*/**/cmake/Proa/ProaConfig.cmake"}
TCL = """proc prepend-path {name path} { puts "$name $path" }
proc module-whatis {text} {}
proc conflict {name} {}
source [lindex $argv 0]
"""
LUA = """function prepend_path(name, path) print(name .. " " .. path) end
help, whatis, conflict = tostring, tostring, tostring
dofile(arg[1])
"""


def fail(sentence):
    sys.exit(f"packaging: {sentence}")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def is_there(path):
    return bool(glob.glob(path, recursive=True))


def run_by(interpreters, program, module):
    """What a module does, by an interpreter; None where none is here."""
    command = next(filter(None, map(shutil.which, interpreters)), None)
    if not command:
        return None
    scratch = os.path.join(moved, "module-run")
    with open(scratch, "w", encoding="utf-8") as file:
        file.write(program)
    run = subprocess.run([command, scratch, module], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=60)
    os.remove(scratch)
    if run.returncode != 0:
        fail(f"{command} does not take {module}: {run.stdout}")
    return dict(line.split(" ", 1) for line in run.stdout.splitlines())


def check_modules():
    tcl, = (path for path in glob.glob(f"{moved}/share/proa/modulefiles/proa/*") if not path.endswith(".lua"))
    set_by = {"Tcl": dict(re.findall(r"^prepend-path +(\w+) +(.+)$", text_of(tcl), flags=re.M)),
              "Lua": dict(re.findall(r'^prepend_path\("(\w+)", "(.+)"\)$', text_of(tcl + ".lua"), flags=re.M)),
              "tclsh": run_by(("tclsh",), TCL, tcl), "lua": run_by(("lua", "lua5.4", "lua5.3"), LUA, tcl + ".lua")}
    for language, variables in set_by.items():
        if variables is None:
            continue
        if set(variables) != set(HOLDS):
            fail(f"the module in {language} sets {sorted(variables)}")
        for name, path in variables.items():
            if not is_there(os.path.join(path.replace(prefix, moved, 1), HOLDS[name])):
                fail(f"the module in {language} puts {path} into {name}, which has no {HOLDS[name]}")


def check_easybuild(version):
    path = f"{root}/packaging/easybuild/Proa-{version}-gompi-2023b.eb"
    recipe = {"SOURCELOWER_TAR_GZ": "", "SHLIB_EXT": "so"}
    exec(compile(text_of(path), path, "exec"), recipe)  # pylint: disable=exec-used
    if recipe["version"] != version:
        fail(f"the recipe for EasyBuild is of {recipe['version']}")
    for kind, exists in (("files", os.path.isfile), ("dirs", os.path.isdir)):
        for name in recipe["sanity_check_paths"][kind]:
            if not exists(os.path.join(moved, name)) and ("openmpi" not in name or "openmpi" in hosts):
                fail(f"EasyBuild looks for {name}, which is not installed")
    check_options(path, recipe["configopts"])


def check_options(path, text):
    known = "".join(text_of(name) for name in glob.glob(f"{root}/cmake/*.cmake") + [f"{root}/CMakeLists.txt"])
    for name in re.findall(r"-D(\w+)", text):
        if not name.startswith(("CMAKE_", "BUILD_TESTING")) and re.sub(r"_(MPICH|OPENMPI)$", "_", name) not in known:
            fail(f"no variable {name} of CMake: {path}")


def check_containers():
    said = {}
    for name in ("Containerfile", "proa.def"):
        path = f"{root}/packaging/container/{name}"
        text = text_of(path)
        check_options(path, text)
        for below in re.findall(r"/opt/proa(/[\w/]+)", text):
            if not os.path.isdir(moved + below):
                fail(f"{name} names /opt/proa{below}, which is not installed")
        said[name] = {"build": re.findall(r"cmake -S.*", text), "packages": re.findall(r"recommends (build-essential.*)", text),
                      "environment": re.findall(r"PATH=\S+", text), "from": re.findall(r"(?im)^from:? (debian:\S+)", text)[0]}
    if said["Containerfile"] != said["proa.def"]:
        fail(f"the recipes for containers differ: {said}")
    packages = said["proa.def"]["packages"][0].split()
    listed = text_of(f"{root}/dev") + text_of(f"{root}/cmake/hosts")
    for package in packages:
        if not re.search(rf"\b{re.escape(package)}\b", listed):
            fail(f"./dev knows no package {package}")


check_modules()
check_easybuild(re.search(r"project\(proa VERSION ([\d.]+)", text_of(f"{root}/CMakeLists.txt"))[1])
check_containers()
print("ok packaging")
