import { describe, expect, it } from "vitest";
import { countDocument, countImage, imageSize } from "../../../src/proxy/usage/count-media.ts";
import { countText } from "../../../src/proxy/usage/count-text.ts";
import { estimateTokens } from "../../../src/proxy/usage/estimate-tokens.ts";

/** Texts and their tokens in o200k_base, counted with gpt-tokenizer 3. */
const COUNTED: readonly [string, string, number][] = [
  ["prose", "The quick brown fox jumps over the lazy dog. ".repeat(40), 401],
  [
    "Chinese",
    "我们今天去公园散步,天气非常好。孩子们在草地上玩耍,老人们坐在长椅上聊天。人工智能正在改变我们的生活方式,越来越多的公司开始使用大型语言模型来提高工作效率。".repeat(
      5,
    ),
    270,
  ],
  [
    "Japanese",
    "今日は天気がとても良いので、公園へ散歩に行きました。子供たちは芝生の上で遊んでいて、お年寄りはベンチに座って話をしていました。新しいプログラミング言語を学ぶのは楽しいです。".repeat(
      5,
    ),
    330,
  ],
  [
    "Russian",
    "Сегодня очень хорошая погода, поэтому мы пошли гулять в парк. Дети играли на траве, а пожилые люди сидели на скамейках и разговаривали.".repeat(
      5,
    ),
    205,
  ],
];

describe("counting tokens without a vocabulary", () => {
  it.each(COUNTED)("is within 15 %% for %s", (_name, text, tokens) => {
    expect(Math.abs(countText(text) - tokens) / tokens).toBeLessThan(0.15);
  });

  it("returns 0 for an empty text and grows with the text", () => {
    expect(countText("")).toBe(0);
    expect(countText("word ".repeat(200))).toBeGreaterThan(countText("word ".repeat(100)) * 1.9);
  });

  it("counts text, system, tools and tool calls of a request, but not its ids", () => {
    const text = COUNTED[0]?.[1] ?? "";
    const bare = estimateTokens({ messages: [{ role: "user", content: "Hi" }] });
    const more = (extra: object) =>
      estimateTokens({ messages: [{ role: "user", content: "Hi" }], ...extra }) - bare;
    for (const extra of [
      { system: text },
      { system: [{ type: "text", text, cache_control: { type: "ephemeral" } }] },
      { tools: [{ name: "f", description: text }] },
      {
        messages: [
          { role: "user", content: [{ type: "tool_result", tool_use_id: "x".repeat(99), content: text }] },
        ],
      },
      { messages: [{ role: "assistant", content: [{ type: "tool_use", name: "f", input: { text } }] }] },
    ]) {
      expect(more(extra)).toBeGreaterThan(340);
      expect(more(extra)).toBeLessThan(470);
    }
    expect(estimateTokens({ contents: [{ parts: [{ text }] }] })).toBeGreaterThan(340);
    expect(estimateTokens({ generateContentRequest: { contents: [{ parts: [{ text }] }] } })).toBeGreaterThan(
      340,
    );
    expect(estimateTokens(undefined)).toBeGreaterThan(0);
  });

  it("counts images by size, by both rules, and documents by page", () => {
    const png = Buffer.alloc(64);
    png.writeUInt32BE(0x89504e47, 0);
    png.writeUInt32BE(1000, 16);
    png.writeUInt32BE(750, 20);
    const data = png.toString("base64");
    expect(imageSize(png)).toEqual({ width: 1000, height: 750 });
    expect(countImage(data, "pixels")).toBe(1000);
    expect(countImage(data, "tiles")).toBe(516);
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
    const count = estimateTokens({ messages: [{ role: "user", content: [image] }] });
    expect(count).toBeGreaterThan(990);
    expect(count).toBeLessThan(1020);
    const url = { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } };
    expect(estimateTokens({ messages: [{ role: "user", content: [url] }] })).toBe(count);
    const pdf = Buffer.from("%PDF-1.4 /Type /Pages /Count 3 /Type /Page /Type /Page /Type /Page").toString(
      "base64",
    );
    expect(countDocument(pdf, "tiles")).toBe(3 * 258);
  });

  it("reads the sizes of JPEG, GIF and WebP", () => {
    const jpeg = Buffer.concat([
      Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 0, 200, 1, 44]),
      Buffer.alloc(30),
    ]);
    expect(imageSize(jpeg)).toEqual({ width: 300, height: 200 });
    const gif = Buffer.concat([Buffer.from("GIF89a"), Buffer.from([10, 0, 20, 0]), Buffer.alloc(30)]);
    expect(imageSize(gif)).toEqual({ width: 10, height: 20 });
    const webp = Buffer.alloc(40);
    webp.write("RIFF", 0);
    webp.write("WEBPVP8X", 8);
    webp.writeUIntLE(99, 24, 3);
    webp.writeUIntLE(49, 27, 3);
    expect(imageSize(webp)).toEqual({ width: 100, height: 50 });
  });
});
