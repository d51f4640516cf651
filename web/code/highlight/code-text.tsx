import { memo } from "react";
import { classNames } from "../../../src/render/class-names.ts";
import type { Segment } from "../../../src/render/diff/text/segments.ts";
import { TOKEN_CLASSES } from "../../../src/render/diff/text/token-types.ts";

const FOUND = [undefined, "found", "found found-current"];

/** Renders a line of code as colored spans. Segments without a class are plain text. */
export const CodeText = memo(function CodeText({ segments }: { readonly segments: readonly Segment[] }) {
  return segments.map((segment, index) => {
    const { deception } = segment;
    const name = classNames(
      TOKEN_CLASSES[segment.type],
      segment.changed && "word",
      FOUND[segment.found],
      deception && "deceptive",
    );
    if (name === "") return segment.text;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: runs have no identity; the whole line is painted again
      <span key={index} className={name} data-shown={deception?.shown} title={deception?.meaning}>
        {segment.text}
      </span>
    );
  });
});
