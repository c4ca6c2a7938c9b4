# `cpack --preset release` makes build/package/ringside_VERSION_ARCHITECTURE.deb; scripts/package builds what goes into it, and
# says whom CPACK_PACKAGE_CONTACT names, the package's maintainer: whoever makes it, so that there is no default here.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # tests and benchmarks need not be built

set(CPACK_PACKAGE_NAME ringside)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cycle-approximate simulator of network receive")
set(CPACK_PACKAGE_DESCRIPTION
"Ringside simulates a NIC's descriptor rings and DMA engine, PCIe or AXI, the
caches behind them, and the CPU core that runs the driver. The driver is real
code, compiled by a real compiler and executed instruction by instruction; only
hardware is modelled.
.
It answers what a change to the receive path, or to the compiler flags that it
is built with, does to packets per second, and why. The same scenario gives the
same bytes on every machine, so that it can gate pull requests.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Ringside builds guests itself. Without g++ no scenario runs, not even one whose image comes with it: an image belongs to the
# version of its compiler. The others are for scenarios on AArch64, and for comparing compilers.
set(CPACK_DEBIAN_PACKAGE_DEPENDS g++)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++-aarch64-linux-gnu, clang, lld")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-jsonschema")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/finish.cmake)
include(CPack)
