/** A plan with one element of every kind. */
export const samplePlan = `# Move sessions to Redis

We keep sessions in process memory today. Every deploy signs everybody out.

> [!IMPORTANT]
> Nobody may be signed out by the migration itself.

## What changes

| Part | Today | After |
|---|---|---|
| Store | \`Map\` in memory | \`RedisSessionStore\` |

\`\`\`ts
export interface SessionStore {
  get(id: string): Promise<Session | undefined>;
}
\`\`\`

## Steps

1. Add the client and a setting.
2. Write the store against the interface.
   - Keys are \`session:<id>\`.
3. Run both stores side by side.

- [x] Contract tests
- [ ] A test that kills Redis[^why]

[^why]: Because it will happen.

## Risks

Redis becomes a single point of failure. We accept that for now.
`;

/** A small PNG: one red pixel. */
export const redPixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
  "base64",
);
