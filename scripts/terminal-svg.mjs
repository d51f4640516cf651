// Renders a recorded terminal session as an animated SVG without scripts.
const COLUMNS = 104;
const ROWS = 30;
const LINE = 20;
const CHARACTER = 8.43;
const MARGIN = 18;
const PER_LETTER = 0.03;
const AFTER = { command: 0.6, output: 0.08, caption: 1.6 };
const REST = 6;

/**
 * Returns the SVG of a session. `lines` are `{kind: "command" | "output" | "caption", text}` in their order
 * of appearance.
 */
export function terminalSvg(lines) {
  const wrapped = lines.flatMap(fold);
  const { frames, total } = timed(wrapped);
  const width = COLUMNS * CHARACTER + 2 * MARGIN;
  const height = ROWS * LINE + 2 * MARGIN;
  const length = (total + REST).toFixed(1);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width.toFixed(0)}" height="${height}" viewBox="0 0 ${width.toFixed(0)} ${height}" role="img" aria-label="A terminal session: a plan and a diff are reviewed, a model call goes through the proxy">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#d8dee9}
.command{fill:#ffffff;font-weight:600}.prompt{fill:#7fb069}.caption{fill:#8b98a9;font-style:italic}
</style>
<rect width="100%" height="100%" rx="10" fill="#15191f"/>
<clipPath id="screen"><rect x="0" y="${MARGIN}" width="100%" height="${ROWS * LINE}"/></clipPath>
<g clip-path="url(#screen)"><g>
${scrolling(frames, length)}
${frames.map((frame, row) => drawn(frame, row, length)).join("\n")}
</g></g>
</svg>
`;
}

/** Wraps a long line, as a terminal does. */
function fold({ kind, text }) {
  const room = COLUMNS - (kind === "command" ? 2 : 0);
  const pieces = text.match(new RegExp(`.{1,${room}}`, "gu")) ?? [""];
  return pieces.map((piece, index) => ({ kind, text: piece, isFirst: index === 0 }));
}

function timed(lines) {
  let at = 0.5;
  const frames = lines.map((line, index) => {
    // A new command starts after the time needed to read the previous output.
    if (line.kind === "command" && line.isFirst && index > 0) at += 2;
    const start = at;
    const typing = line.kind === "command" ? [...line.text].length * PER_LETTER : 0;
    const isLast = lines[index + 1]?.kind !== line.kind || lines[index + 1]?.isFirst;
    at += typing + (line.kind === "command" && !isLast ? 0 : AFTER[line.kind]);
    return { ...line, start };
  });
  return { frames, total: at };
}

function drawn({ kind, text, start, isFirst }, row, length) {
  const y = MARGIN + row * LINE + 15;
  const prompt =
    kind === "command" && isFirst ? `<tspan class="prompt">$ </tspan>` : kind === "command" ? "  " : "";
  const appear = `<animate attributeName="opacity" dur="${length}s" repeatCount="indefinite" calcMode="discrete" values="0;1" keyTimes="0;${(start / length).toFixed(4)}"/>`;
  const content = `<text class="${kind}" x="${MARGIN}" y="${y}" xml:space="preserve">${prompt}${escaped(text)}</text>`;
  return `<g>${appear}${content}</g>`;
}

/** Returns an animation that scrolls by one row for each line beyond a full screen. */
function scrolling(frames, length) {
  const moves = frames.flatMap(({ start }, row) =>
    row < ROWS ? [] : [{ at: start / length, by: (row - ROWS + 1) * LINE }],
  );
  if (moves.length === 0) return "";
  const values = ["0 0", ...moves.map(({ by }) => `0 -${by}`)].join(";");
  const times = ["0", ...moves.map(({ at }) => at.toFixed(4))].join(";");
  return `<animateTransform attributeName="transform" type="translate" dur="${length}s" repeatCount="indefinite" calcMode="discrete" values="${values}" keyTimes="${times}"/>`;
}

/** Escapes text for XML. */
export function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
