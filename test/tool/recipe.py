# SPDX-License-Identifier: BSD-3-Clause
"""The recipe for Spack (packaging/spack), without Spack: its versions, and what CMake makes of the options that it gives.

  recipe.py ROOT VERSION CMAKE MPICC MPIEXEC HOST    the last three are of an MPI that is here

A stand-in for the module spack.package has the few names that the recipe uses: a recipe that uses others fails here, though not under Spack.
"""
import os
import subprocess
import sys
import tempfile
import types

root, version, cmake, mpicc, mpiexec, host = sys.argv[1:]
said = []  # what the recipe declares: (directive, arguments, options)


class CMakePackage:
    prefix = types.SimpleNamespace(lib="/opt/proa/lib")

    @staticmethod
    def define(name, value):
        return f"-D{name}:BOOL={'ON' if value else 'OFF'}" if isinstance(value, bool) else f"-D{name}:STRING={value}"


class Spec:
    """Variants as in "+mpich~openmpi"; every package that it depends on is in one folder."""

    def __init__(self, variants, folder):
        self.variants = variants
        self.package = types.SimpleNamespace(prefix=types.SimpleNamespace(
            bin=types.SimpleNamespace(mpicc=os.path.join(folder, "mpicc"), mpiexec=os.path.join(folder, "mpiexec"))))

    def satisfies(self, variant):
        return variant in self.variants

    def __getitem__(self, name):
        return self.package


def stand_in():
    module = types.ModuleType("spack.package")
    module.CMakePackage = CMakePackage
    for name in ("conflicts", "depends_on", "generator", "license", "variant", "version"):
        setattr(module, name, lambda *arguments, _name=name, **options: said.append((_name, arguments, options)))
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = module


def fail(sentence, shown=""):
    sys.exit(f"{shown}\nrecipe: {sentence}".lstrip("\n"))


def check_versions():
    versions = {arguments[0]: options for directive, arguments, options in said if directive == "version"}
    if versions.get(version, {}).get("tag") != "v" + version:
        fail(f"no version {version} with the tag v{version}: {versions}")
    if "main" not in versions:
        fail("no version main")


def configure(proa, variants, scratch):
    """What CMake says, and the libraries that the build would make."""
    package = proa()
    package.spec = Spec(variants, scratch)
    build = os.path.join(scratch, variants)
    run = subprocess.run([cmake, "-G", "Ninja", "-S", root, "-B", build, *package.cmake_args()], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if run.returncode != 0 or "not used by the project" in run.stdout:
        fail(f"CMake does not take what the recipe gives it with {variants}", run.stdout)
    with open(os.path.join(build, "build.ninja"), encoding="utf-8") as file:
        rules = file.read()
    return run.stdout, [name for name in ("mpich", "openmpi") if f"build src/libproa-{name}.so" in rules]


def check_variants(proa):
    other = "openmpi" if host == "mpich" else "mpich"
    with tempfile.TemporaryDirectory() as scratch:
        for name, program in (("mpicc", mpicc), ("mpiexec", mpiexec)):
            path = os.path.join(scratch, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\nexec "{program}" "$@"\n')
            os.chmod(path, 0o755)
        output, libraries = configure(proa, f"+{host}~{other}~network", scratch)
    if libraries != [host]:
        fail(f"with {host} alone there would be libraries for {libraries}", output)
    if "Proa without libfabric" not in output:
        fail("there is a network with ~network", output)


stand_in()
recipe = {}
with open(os.path.join(root, "packaging/spack/package.py"), encoding="utf-8") as text:
    exec(compile(text.read(), "package.py", "exec"), recipe)  # pylint: disable=exec-used
check_versions()
check_variants(recipe["Proa"])
print("ok recipe")
