/** A call as in a line of the request log. */
export interface LoggedCall {
  readonly time: string;
  readonly id: string;
  readonly [member: string]: unknown;
}

const START = Date.UTC(2026, 8, 1);

/** Returns calls that differ in all properties by which usage is grouped; the same ones each time. */
export function createCalls(
  count: number,
  timeOf: (index: number) => number = (index) => START + index * 17 * 60_000 + (index % 7),
): LoggedCall[] {
  return Array.from({ length: count }, (_, index) => ({
    time: new Date(timeOf(index)).toISOString(),
    id: `req_${"0123456789ab"}${String(index).padStart(8, "0")}`,
    ...(index % 5 !== 0 && { key: `key "${index % 5}", of ${index % 2}`, key_id: `key_${index % 5}` }),
    ...(index % 3 !== 0 && { team: `team ${index % 3}` }),
    ...(index % 4 !== 0 && { tags: { floor: String(index % 4), room: `r${index % 2}` } }),
    client: "test",
    session: `session ${index % 11}`,
    route: "/v1/chat/completions",
    model: `model ${index % 6}`,
    upstream: index % 2 ? "vendor" : "other",
    status: index % 10 === 9 ? 502 : 200,
    ms: 1 + (index % 50) * 20,
    first_byte_ms: 1 + (index % 50) * 5,
    stream: index % 2 === 0,
    tokens: { input: index % 97, cache_read: index % 13, output: index % 31 },
    ...(index % 8 !== 0 && { cost: (index % 100) / 1_000 }),
  }));
}

/** Returns the line of a call. */
export function callLine(call: object | undefined): string {
  return `${JSON.stringify(call)}\n`;
}
