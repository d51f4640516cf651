// Creates a coding agent's request in the messages dialect, of a given size.
const tools = Array.from({ length: 25 }, (_, index) => ({
  name: `Tool${index}`,
  description: "Does one thing, and says how. ".repeat(30),
  input_schema: {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 6 }, (_, position) => [
        `p${position}`,
        { type: "string", description: "What it is. ".repeat(6) },
      ]),
    ),
    required: ["p0"],
  },
}));

/** Returns a request of about `bytes` bytes; below 2,000, a greeting without tools. */
export function agentTurn(bytes, stream = true) {
  const greeting = { role: "user", content: "Please look into the repository." };
  if (bytes < 2_000) return { model: "bench", max_tokens: 1_000, stream, messages: [greeting] };
  const system = [
    { type: "text", text: "You are a careful engineer. ".repeat(300), cache_control: { type: "ephemeral" } },
  ];
  const messages = [greeting];
  const room = bytes - JSON.stringify({ tools, system }).length;
  for (let round = 1, size = 0; size < room; round += 1) {
    const id = `toolu_${round}`;
    const pair = [
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me read it." },
          { type: "tool_use", id, name: "Tool1", input: { p0: `src/file-${round}.ts` } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: id, content: 'export const f = () => "déjà vu";\n'.repeat(40) },
        ],
      },
    ];
    messages.push(...pair);
    size += JSON.stringify(pair).length;
  }
  return { model: "bench", max_tokens: 4_000, stream, system, tools, messages };
}
