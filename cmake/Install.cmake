# SPDX-License-Identifier: BSD-3-Clause
# What is installed besides programs and libraries, which their own folders say: how others find Proa, completion for the shell, documents.
include(CMakePackageConfigHelpers)

# Installs what a template makes, in which folders stand as they are when it is installed: cmake --install --prefix may name others than the build
# knows. The build has its own copy, in its folder "install".
#   proa_install_template(TEMPLATE NAME OPTION-OF-INSTALL...)
function(proa_install_template template name)
  set(file ${PROJECT_BINARY_DIR}/install/${name})
  set(late "@CMAKE_INSTALL_PREFIX@")
  set(CMAKE_INSTALL_PREFIX ${late})
  foreach(folder IN ITEMS BINDIR INCLUDEDIR LIBDIR MANDIR)
    if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
      set(CMAKE_INSTALL_FULL_${folder} ${late}/${CMAKE_INSTALL_${folder}})
    endif()
  endforeach()
  configure_file(${template} ${file}.in @ONLY)
  unset(CMAKE_INSTALL_PREFIX) # now the one of the build
  configure_file(${file}.in ${file} @ONLY)
  install(CODE "configure_file(\"${file}.in\" \"${file}.installed\" @ONLY)")
  install(FILES ${file}.installed ${ARGN})
endfunction()

# pkg-config: proa-mpich, proa-openmpi, proa-abi.
set(proa_libraries abi)
set(proa_title_of_abi "the standard ABI")
foreach(host IN LISTS PROA_HOSTS)
  if(NOT PROA_HOST_${host}_abi_library)
    list(APPEND proa_libraries ${host})
    set(proa_title_of_${host} ${PROA_HOST_${host}_title})
  endif()
endforeach()
foreach(proa_library IN LISTS proa_libraries)
  set(proa_title ${proa_title_of_${proa_library}})
  proa_install_template(cmake/install/proa.pc.in proa-${proa_library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig RENAME proa-${proa_library}.pc)
endforeach()

# find_package(Proa).
set(proa_cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Proa)
configure_package_config_file(cmake/install/ProaConfig.cmake.in ${PROJECT_BINARY_DIR}/install/ProaConfig.cmake INSTALL_DESTINATION ${proa_cmake_folder}
                              NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/ProaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/install/ProaConfig.cmake ${PROJECT_BINARY_DIR}/install/ProaConfigVersion.cmake DESTINATION ${proa_cmake_folder})
install(EXPORT ProaTargets NAMESPACE Proa:: DESTINATION ${proa_cmake_folder})

# Environment Modules, and Lmod: put the folder modulefiles into MODULEPATH, or link the files from there.
proa_install_template(cmake/install/modulefile.in modulefile DESTINATION ${CMAKE_INSTALL_DATADIR}/proa/modulefiles/proa RENAME ${PROJECT_VERSION})
proa_install_template(cmake/install/modulefile.lua.in modulefile.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/proa/modulefiles/proa RENAME ${PROJECT_VERSION}.lua)

install(FILES tools/proa/proa.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME proa)
install(FILES tools/proa/proa.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _proa)
install(FILES tools/proa/proa.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Removes what the last `cmake --install` of this build has put somewhere; folders stay.
add_custom_target(uninstall COMMAND xargs -d "\\n" -a ${PROJECT_BINARY_DIR}/install_manifest.txt rm -f -- VERBATIM)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES test/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/test)
file(GLOB proa_documents CONFIGURE_DEPENDS doc/*.md doc/*.svg)
install(FILES ${proa_documents} DESTINATION ${CMAKE_INSTALL_DOCDIR}/doc)
file(GLOB proa_examples CONFIGURE_DEPENDS examples/*.c examples/*.h examples/*.f90 examples/*.py)
install(FILES ${proa_examples} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
file(GLOB proa_examples_tutorial CONFIGURE_DEPENDS examples/tutorial/*.c)
install(FILES ${proa_examples_tutorial} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/tutorial)
file(GLOB proa_decisions CONFIGURE_DEPENDS doc/decisions/*.md)
install(FILES ${proa_decisions} DESTINATION ${CMAKE_INSTALL_DOCDIR}/doc/decisions)
file(GLOB proa_documents_from CONFIGURE_DEPENDS doc/from/*.md)
install(FILES ${proa_documents_from} DESTINATION ${CMAKE_INSTALL_DOCDIR}/doc/from)
file(GLOB proa_pictures CONFIGURE_DEPENDS doc/pictures/*.svg)
install(FILES ${proa_pictures} DESTINATION ${CMAKE_INSTALL_DOCDIR}/doc/pictures)
file(GLOB proa_examples CONFIGURE_DEPENDS examples/*.c examples/*.h examples/*.f90 examples/*.py)
install(FILES ${proa_examples} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
file(GLOB proa_tutorial CONFIGURE_DEPENDS examples/tutorial/*.c)
install(FILES ${proa_tutorial} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/tutorial)
