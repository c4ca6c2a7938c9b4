# What Debian wants of a package's files besides what is installed anywhere: compressed manual and changelogs.
set(doc ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/doc/ringside)
file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog.Debian
"ringside (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Built from the sources of this version; changelog.gz says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
execute_process(
  COMMAND gzip -9n ${doc}/changelog ${doc}/changelog.Debian ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/man/man1/ringside.1
  COMMAND_ERROR_IS_FATAL ANY)
file(INSTALL ${CMAKE_CURRENT_LIST_DIR}/lintian-overrides DESTINATION ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/lintian/overrides
     RENAME ringside)
