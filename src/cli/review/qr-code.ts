/** A square of modules, by row; dark modules are true. */
export type QrCode = readonly (readonly boolean[])[];

/** Error correction codewords of each block, and the number of blocks, of versions 1 to 10 at level M (table 9). */
const BLOCKS = [
  [10, 1],
  [16, 1],
  [26, 1],
  [18, 2],
  [24, 2],
  [16, 4],
  [18, 4],
  [22, 4],
  [22, 5],
  [26, 5],
] as const;
const BYTE_MODE = 0b0100;
const PADDING = [0xec, 0x11] as const;
const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/**
 * Encodes a text as a QR code (ISO/IEC 18004:2015) in byte mode at error correction level M. Throws RangeError for more
 * than 213 bytes, the capacity of version 10.
 */
export function encodeQrCode(text: string): QrCode {
  const bytes = new TextEncoder().encode(text);
  const version = BLOCKS.findIndex((_blocks, index) => bytes.length <= capacity(index + 1)) + 1;
  if (version === 0) throw new RangeError(`A QR code of ${bytes.length} bytes is too large`);
  const codewords = withCorrection(dataCodewords(bytes, version), version);
  const drawn = MASKS.map((_mask, mask) => draw(codewords, version, mask));
  const penalties = drawn.map(penalty);
  // Readers accept every mask. The best mask leaves the fewest large areas of one color.
  return drawn[penalties.indexOf(Math.min(...penalties))] ?? [];
}

/** Renders a code with half blocks, as `qrencode -t UTF8` does: light modules are filled, for dark terminals. */
export function drawQrCode(code: QrCode, margin = 2): string {
  const size = code.length + 2 * margin;
  const isDark = (x: number, y: number) => code[y - margin]?.[x - margin] ?? false;
  const lines: string[] = [];
  for (let y = 0; y < size; y += 2) {
    const cells = Array.from({ length: size }, (_, x) => {
      const [top, bottom] = [isDark(x, y), y + 1 < size ? isDark(x, y + 1) : true];
      if (top) return bottom ? " " : "▄";
      return bottom ? "▀" : "█";
    });
    lines.push(cells.join(""));
  }
  return lines.join("\n");
}

const sizeOf = (version: number) => version * 4 + 17;
const lengthBits = (version: number) => (version < 10 ? 8 : 16);

/** Returns the number of codewords of a version: all modules without the function patterns. */
function totalCodewords(version: number): number {
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const alignments = Math.floor(version / 7) + 2;
    modules -= (25 * alignments - 10) * alignments - 55;
    if (version >= 7) modules -= 36;
  }
  return Math.floor(modules / 8);
}

function blocksOf(version: number): { readonly correction: number; readonly count: number } {
  const [correction, count] = BLOCKS[version - 1] ?? [0, 1];
  return { correction, count };
}

function dataCount(version: number): number {
  const { correction, count } = blocksOf(version);
  return totalCodewords(version) - correction * count;
}

/** Returns the capacity of a version in bytes. */
function capacity(version: number): number {
  return Math.floor((dataCount(version) * 8 - 4 - lengthBits(version)) / 8);
}

/** Returns the data codewords of a version: mode, length and bytes, then the terminator and padding. */
function dataCodewords(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >>> bit) & 1);
  };
  push(BYTE_MODE, 4);
  push(bytes.length, lengthBits(version));
  for (const byte of bytes) push(byte, 8);
  const total = dataCount(version);
  push(0, Math.min(4, total * 8 - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  const codewords = Array.from({ length: bits.length / 8 }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((value, bit) => value * 2 + bit, 0),
  );
  for (let pad = 0; codewords.length < total; pad += 1) codewords.push(PADDING[pad % 2] ?? 0);
  return codewords;
}

/** Splits data into blocks, adds the correction codewords of each, and interleaves them. */
function withCorrection(data: readonly number[], version: number): number[] {
  const { correction, count } = blocksOf(version);
  const short = Math.floor(data.length / count);
  const longer = data.length % count;
  const generator = generatorPolynomial(correction);
  let at = 0;
  const blocks = Array.from({ length: count }, (_, index) => {
    const length = short + (index >= count - longer ? 1 : 0);
    const block = data.slice(at, at + length);
    at += length;
    return { block, correction: remainder(block, generator) };
  });
  const interleaved = (lists: readonly (readonly number[])[]) =>
    Array.from({ length: Math.max(...lists.map((list) => list.length)) }, (_, index) =>
      lists.flatMap((list) => (index < list.length ? [list[index] ?? 0] : [])),
    ).flat();
  return [
    ...interleaved(blocks.map(({ block }) => block)),
    ...interleaved(blocks.map((block) => block.correction)),
  ];
}

/** Multiplies in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1. */
function multiply(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((other >>> bit) & 1) * one;
  }
  return product;
}

/** Returns the Reed-Solomon generator polynomial of a degree, without its leading 1. */
function generatorPolynomial(degree: number): number[] {
  let polynomial = [...Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let step = 0; step < degree; step += 1) {
    const factor = root;
    polynomial = polynomial.map((value, index) => multiply(value, factor) ^ (polynomial[index + 1] ?? 0));
    root = multiply(root, 2);
  }
  return polynomial;
}

function remainder(data: readonly number[], generator: readonly number[]): number[] {
  let rest = generator.map(() => 0);
  for (const value of data) {
    const factor = value ^ (rest[0] ?? 0);
    rest = generator.map((each, index) => (rest[index + 1] ?? 0) ^ multiply(each, factor));
  }
  return rest;
}

/** Draws the function patterns, the codewords under a mask, and the format. */
function draw(codewords: readonly number[], version: number, mask: number): boolean[][] {
  const size = sizeOf(version);
  const modules = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const isFunction = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  const set = (x: number, y: number, dark: boolean) => {
    const [row, reserved] = [modules[y], isFunction[y]];
    if (!row || !reserved || x < 0 || x >= size) return;
    row[x] = dark;
    reserved[x] = true;
  };
  drawPatterns(set, version);
  drawFormat(set, size, mask);
  const isMasked = MASKS[mask] ?? (() => false);
  let bit = 0;
  for (const { x, y } of zigzag(size)) {
    const row = modules[y];
    if (!row || isFunction[y]?.[x]) continue;
    const codeword = codewords[bit >>> 3] ?? 0;
    row[x] = (((codeword >>> (7 - (bit & 7))) & 1) === 1) !== isMasked(x, y);
    bit += 1;
  }
  return modules;
}

type SetModule = (x: number, y: number, dark: boolean) => void;

function drawPatterns(set: SetModule, version: number): void {
  const size = sizeOf(version);
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  const positions = alignmentPositions(version);
  const last = positions.length - 1;
  for (const [row, y] of positions.entries())
    for (const [column, x] of positions.entries()) {
      const isCorner = (row === 0 && (column === 0 || column === last)) || (row === last && column === 0);
      if (!isCorner) drawSquare(set, x, y, 2, [1]);
    }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawSquare(set, x, y, 4, [2, 4]);
  if (version < 7) return;
  let rest = version;
  for (let step = 0; step < 12; step += 1) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let at = 0; at < 18; at += 1) {
    const [far, near] = [size - 11 + (at % 3), Math.floor(at / 3)];
    set(far, near, ((bits >>> at) & 1) === 1);
    set(near, far, ((bits >>> at) & 1) === 1);
  }
}

/** Draws rings around a center. The rings at the given distances are light, and all others are dark. */
function drawSquare(set: SetModule, x: number, y: number, radius: number, light: readonly number[]): void {
  for (let down = -radius; down <= radius; down += 1)
    for (let right = -radius; right <= radius; right += 1)
      set(x + right, y + down, !light.includes(Math.max(Math.abs(right), Math.abs(down))));
}

function alignmentPositions(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  const positions = Array.from({ length: count - 1 }, (_, index) => sizeOf(version) - 7 - index * step);
  return [6, ...positions.reverse()];
}

/** Draws both copies of the format information (level M and the number of the mask), and the dark module. */
function drawFormat(set: SetModule, size: number, mask: number): void {
  let rest = mask;
  for (let step = 0; step < 10; step += 1) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  const bits = ((mask << 10) | rest) ^ 0x5412;
  const isDark = (at: number) => ((bits >>> at) & 1) === 1;
  for (let at = 0; at < 15; at += 1) {
    // The first copy surrounds the finder pattern at the top left and skips the timing patterns.
    if (at < 6) set(8, at, isDark(at));
    else if (at < 8) set(8, at + 1, isDark(at));
    else if (at === 8) set(7, 8, isDark(at));
    else set(14 - at, 8, isDark(at));
    if (at < 8) set(size - 1 - at, 8, isDark(at));
    else set(8, size - 15 + at, isDark(at));
  }
  set(8, size - 8, true);
}

/** Yields the modules in the order of the codewords: pairs of columns from the right, upward and downward in turn. */
function* zigzag(size: number): Generator<{ readonly x: number; readonly y: number }> {
  for (let right = size - 1; right >= 1; right -= 2) {
    const column = right <= 6 ? right - 1 : right;
    const isUpward = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1)
      for (const x of [column, column - 1]) yield { x, y: isUpward ? size - 1 - step : step };
  }
}

/** Returns a penalty for runs of five and more modules, and for squares, of one color. */
function penalty(modules: QrCode): number {
  const size = modules.length;
  const at = (x: number, y: number) => modules[y]?.[x];
  let points = 0;
  for (let line = 0; line < size; line += 1) {
    let [across, down] = [1, 1];
    for (let step = 1; step < size; step += 1) {
      across = at(step, line) === at(step - 1, line) ? across + 1 : 1;
      down = at(line, step) === at(line, step - 1) ? down + 1 : 1;
      points += (across >= 5 ? (across === 5 ? 3 : 1) : 0) + (down >= 5 ? (down === 5 ? 3 : 1) : 0);
      const dark = at(step, line);
      if (
        line > 0 &&
        [at(step - 1, line), at(step, line - 1), at(step - 1, line - 1)].every((each) => each === dark)
      )
        points += 3;
    }
  }
  return points;
}
