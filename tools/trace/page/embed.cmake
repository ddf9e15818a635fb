# SPDX-License-Identifier: BSD-3-Clause
# Writes the parts of the page (style, body, scripts) as C arrays: cmake -DOUT=FILE -DPARTS="style.css;..." -P embed.cmake, in their folder.
set(text "/* Written by tools/trace/page/embed.cmake. */\n#include \"page.h\"\n")
set(rows "")
foreach(part IN LISTS PARTS)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/${part} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(MAKE_C_IDENTIFIER ${part} name)
  string(APPEND text "static const unsigned char ${name}[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${part}\", (const char *)${name}},\n")
endforeach()
string(APPEND text "const struct proa_page_part proa_page_parts[] = {\n${rows}    {0, 0}};\n")
file(WRITE ${OUT} "${text}")
