import { describe, expect, it } from "vitest";
import { countDocument, countImage } from "../../../src/proxy/usage/count-media.ts";
import { estimateTokens } from "../../../src/proxy/usage/estimate-tokens.ts";

function tool(name: string, description: string, properties: object, required: string[]) {
  return { name, description, input_schema: { type: "object", properties, required } };
}

/** Their schemas are 277 tokens in o200k_base, counted with gpt-tokenizer 3. */
const TOOLS = [
  tool(
    "read_file",
    "Reads a file from the local filesystem. The path must be absolute. By default it reads up to 2000 lines from the beginning; for long files give offset and limit.",
    {
      file_path: { type: "string", description: "The absolute path of the file to read" },
      offset: { type: "number", description: "The line to begin at" },
      limit: { type: "number", description: "How many lines to read" },
    },
    ["file_path"],
  ),
  tool(
    "run_command",
    "Runs a shell command and returns its output. Quote paths that have spaces. Long output is cut off after 30000 characters.",
    {
      command: { type: "string", description: "The command to run" },
      timeout: { type: "number", description: "Milliseconds, at most 600000" },
      run_in_background: { type: "boolean" },
    },
    ["command"],
  ),
  tool(
    "search_code",
    "Searches file contents with a regular expression, as ripgrep does.",
    {
      pattern: { type: "string" },
      glob: { type: "string", description: "Files to look into, such as *.ts" },
      output_mode: { type: "string", enum: ["content", "files_with_matches", "count"] },
    },
    ["pattern"],
  ),
];
const TOOL_TOKENS = 277;

function png(width: number, height: number): string {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32BE(0x89504e47, 0);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString("base64");
}

/** The form of writers that store every object uncompressed. */
function plainPdf(pages: number): string {
  const objects = Array.from(
    { length: pages },
    (_, index) => `${index + 3} 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>\nendobj\n`,
  );
  const tree = `2 0 obj\n<< /Type /Pages /Kids [] /Count ${pages} >>\nendobj\n`;
  return Buffer.from(`%PDF-1.7\n${tree}${objects.join("")}%%EOF`).toString("base64");
}

/** The form of writers that store pages in compressed streams: only the page count of the tree can be read. */
function compressedPdf(pages: number): string {
  const filler = Buffer.alloc(40_000, 0xa5).toString("latin1");
  const tree = `2 0 obj\n<<\n/Type/Pages\n/Count ${pages}\n>>\nendobj\n`;
  return Buffer.from(`%PDF-1.7\n1 0 obj\nstream\n${filler}\nendstream\n${tree}`, "latin1").toString("base64");
}

function within15(estimate: number, truth: number): void {
  expect(Math.abs(estimate - truth) / truth, `${estimate} for ${truth}`).toBeLessThan(0.15);
}

describe("an estimate of tokens is within 15 %", () => {
  it("for tools", () => {
    const messages = [{ role: "user", content: "Hi" }];
    within15(estimateTokens({ messages, tools: TOOLS }) - estimateTokens({ messages }), TOOL_TOKENS);
  });

  it.each([
    [200, 200, 54],
    [1000, 1000, 1334],
    [1092, 1092, 1590],
  ])("for an image of %d × %d at Anthropic, by its documentation", (width, height, tokens) => {
    within15(countImage(png(width, height), "pixels"), tokens);
  });

  it.each([
    [384, 384, 258],
    [768, 768, 258],
    [1000, 1000, 4 * 258],
    [2304, 768, 3 * 258],
  ])("for an image of %d × %d at Google, by its documentation", (width, height, tokens) => {
    within15(countImage(png(width, height), "tiles"), tokens);
  });

  // Anthropic documents 1,500 to 3,000 tokens a page, so the estimate uses the middle. Google documents 258.
  it.each([1, 3, 40])("for a PDF of %d pages, however it was written", (pages) => {
    for (const pdf of [plainPdf(pages), compressedPdf(pages)]) {
      within15(countDocument(pdf, "tiles"), 258 * pages);
      within15(countDocument(pdf, "pixels"), 2250 * pages);
    }
  });

  it("for all of them in one request", () => {
    const source = (media_type: string, data: string) => ({ type: "base64", media_type, data });
    const content = [
      { type: "text", text: "The quick brown fox jumps over the lazy dog. ".repeat(40) },
      { type: "image", source: source("image/png", png(1000, 1000)) },
      { type: "document", source: source("application/pdf", plainPdf(3)) },
    ];
    const request = { model: "m", messages: [{ role: "user", content }], tools: TOOLS };
    within15(estimateTokens(request), 401 + 1334 + 3 * 2250 + TOOL_TOKENS);
  });
});

it("counts the pages of a document whose page tree has more counts than a call accepts arguments", () => {
  const pdf = Buffer.from(`%PDF-1.7\n${"/Count 7\n".repeat(200_000)}`).toString("base64");
  const source = { type: "base64", media_type: "application/pdf", data: pdf };
  const messages = [{ role: "user", content: [{ type: "document", source }] }];
  expect(estimateTokens({ messages })).toBe(
    estimateTokens({ messages: [{ role: "user", content: [] }] }) + 14_000,
  );
});
