/** Examples of settings in JSON: a description and the text of each. */
export const oddSettings: readonly (readonly [string, string])[] = [
  ["an empty file", ""],
  ["blanks", "  \n\n"],
  ["an empty object", "{}"],
  ["an object over lines", "{\n\n}"],
  ["comments", '// top\n{\n  /* before */ "model": "x", // after\n  // last\n}\n// end'],
  ["CRLF", '{\r\n\t"model": "x"\r\n}\r\n'],
  ["a byte-order mark", '\ufeff{ "model": "x" }'],
  ["a last line without an end", '{\n  "model": "x"\n}'],
  [
    "members of ours",
    '{"env":{"OPENAI_BASE_URL" : "mine"}, "security":{"auth":{"selectedType":"x"}},"provider":{ }}',
  ],
  ["empty lists", '{"hooks":{"PermissionRequest":[],"Stop":[ ],"BeforeTool":[\n]}}'],
  [
    "other people's hooks",
    '{ "hooks": {\n "PermissionRequest": [ {"matcher": "ExitPlanMode", "hooks": [{"type":"command","command":"theirs"}]} ],\n' +
      ' "Stop":[{"hooks":[{"type":"command","command":"theirs"}]}], "BeforeTool" : [{"matcher":"*","hooks":[]},],},}',
  ],
];
