import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";

/** Lines that could be mistaken for other parts of a patch, as bytes that are not all UTF-8. */
export const awkwardText = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.constantFrom(
          "",
          "-- a",
          "++ b",
          "diff --git a/x b/x",
          "@@ -1 +1 @@",
          "\\ No newline",
          "\r",
          "a",
          "b",
        ),
        fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replace(/[\n\0]/g, "")),
      ),
      { maxLength: 30 },
    ),
    fc.boolean(),
    fc.constantFrom<BufferEncoding>("utf8", "latin1"),
  )
  .map(([lines, ends, encoding]) =>
    Buffer.from(lines.join("\n") + (ends && lines.length > 0 ? "\n" : ""), encoding),
  );

/** Makes git compare pairs of old and new texts in one patch, as `f0`, `f1` … in this order. */
export async function gitMadePatch(
  folder: string,
  pairs: readonly (readonly [Buffer, Buffer])[],
): Promise<Buffer> {
  for (const [index, side] of ["old", "new"].entries()) {
    await rm(join(folder, side), { recursive: true, force: true });
    await mkdir(join(folder, side));
    await Promise.all(
      pairs.map((pair, number) =>
        writeFile(join(folder, side, `f${String(number).padStart(4, "0")}`), pair[index] ?? ""),
      ),
    );
  }
  try {
    return execFileSync("git", ["diff", "--no-index", "--no-color", "--text", "--no-renames", "old", "new"], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
    });
  } catch (error) {
    // Exit code 1 means that there are differences.
    if (error instanceof Error && "stdout" in error && Buffer.isBuffer(error.stdout)) return error.stdout;
    throw error;
  }
}

/** Positions in a patch, the number of bytes to remove there, and their replacement. */
export const damage = fc.array(
  fc.record({
    at: fc.nat(),
    removed: fc.nat(12),
    put: fc.oneof(
      fc.constantFrom(
        "",
        "\n",
        "\r",
        "\0",
        "@@ -1,9999999999 +0,0 @@\n",
        "diff --git ",
        "\\ No newline",
        "-",
        "+",
      ),
      fc.string({ maxLength: 6 }),
    ),
  }),
  { minLength: 1, maxLength: 5 },
);

/** Returns the patch after these replacements. */
export function damagedBy(
  changes: readonly { readonly at: number; readonly removed: number; readonly put: string }[],
  patch: Buffer,
): Buffer {
  return changes.reduce((bytes, { at, removed, put }) => {
    const position = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, position), Buffer.from(put), bytes.subarray(position + removed)]);
  }, patch);
}
