# SPDX-License-Identifier: BSD-3-Clause
# A recipe for Spack: copy the folder to packages/proa of a repository of yours, and say where the sources are:
#   spack dev-build -d PROA proa@main
# To have Spack fetch them, give the class a line git = "ADDRESS", with the address or the folder of the repository.
from spack.package import *


class Proa(CMakePackage):
    """A drop-in engine for the one-sided chapter of MPI, for MPICH and Open MPI."""

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant("mpich", default=True, description="Build the library for MPICH")
    variant("openmpi", default=False, description="Build the library for Open MPI")
    variant("network", default=True, description="Windows over several nodes, by libfabric")

    conflicts("~mpich~openmpi", msg="Proa is an engine for an MPI: choose one")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("uthash", type="build")
    depends_on("mpich", when="+mpich")
    depends_on("openmpi", when="+openmpi")
    depends_on("libfabric", when="+network")

    generator("ninja")

    def cmake_args(self):
        args = [self.define("BUILD_TESTING", False)]
        for host in ("mpich", "openmpi"):
            name = host.upper()
            if self.spec.satisfies("+" + host):
                folder = self.spec[host].prefix.bin
                args.append(self.define("PROA_MPICC_" + name, folder.mpicc))
                args.append(self.define("PROA_MPIEXEC_" + name, folder.mpiexec))
            else:  # empty: not looked for
                args.append(self.define("PROA_MPICC_" + name, ""))
        if self.spec.satisfies("~network"):
            args.append(self.define("LIBFABRIC_INCLUDE_DIR", ""))
        return args

    def setup_run_environment(self, env):
        env.prepend_path("LD_LIBRARY_PATH", self.prefix.lib)
