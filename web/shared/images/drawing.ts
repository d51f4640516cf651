import { getStroke } from "perfect-freehand";

export type Tool = "pen" | "arrow" | "rectangle" | "text";
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A mark on an image, in image pixels. */
export interface Mark {
  readonly tool: Tool;
  readonly color: string;
  /** Line width in pixels. */
  readonly width: number;
  /** All points of a pen stroke; the position of a text; the first and last point of other tools. */
  readonly points: readonly Point[];
  /** Only for the text tool. */
  readonly text?: string;
}

/** Returns a line width that looks the same on small and large images. */
export function widthFor(imageWidth: number): number {
  return Math.max(3, Math.round(imageWidth / 180));
}

/** Returns the font size that matches a line width, in image pixels. */
function fontSizeFor(width: number): number {
  return width * 6;
}

function penOutline(mark: Mark): readonly Point[] {
  const input = mark.points.map(({ x, y }) => [x, y] as [number, number]);
  return getStroke(input, { size: mark.width * 1.8, thinning: 0.4, smoothing: 0.6, streamline: 0.4 }).map(
    ([x = 0, y = 0]) => ({ x, y }),
  );
}

function arrowHead(from: Point, to: Point, width: number): readonly [Point, Point] {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const length = Math.min(width * 5, Math.hypot(to.x - from.x, to.y - from.y) / 2);
  const end = (turn: number): Point => ({
    x: to.x - length * Math.cos(angle + turn),
    y: to.y - length * Math.sin(angle + turn),
  });
  return [end(Math.PI / 6), end(-Math.PI / 6)];
}

export function drawMark(context: CanvasRenderingContext2D, mark: Mark): void {
  const from = mark.points[0];
  const to = mark.points.at(-1);
  if (!from || !to) return;
  context.strokeStyle = mark.color;
  context.fillStyle = mark.color;
  context.lineWidth = mark.width;
  context.lineCap = "round";
  context.lineJoin = "round";
  if (mark.tool === "pen") {
    fillPolygon(context, penOutline(mark));
  } else if (mark.tool === "text") {
    context.font = `600 ${fontSizeFor(mark.width)}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    context.fillText(mark.text ?? "", from.x, from.y);
  } else if (mark.tool === "rectangle") {
    context.strokeRect(from.x, from.y, to.x - from.x, to.y - from.y);
  } else {
    const [left, right] = arrowHead(from, to, mark.width);
    strokeLine(context, [from, to]);
    strokeLine(context, [left, to, right]);
  }
}

function fillPolygon(context: CanvasRenderingContext2D, points: readonly Point[]): void {
  trace(context, points);
  context.closePath();
  context.fill();
}

function strokeLine(context: CanvasRenderingContext2D, points: readonly Point[]): void {
  trace(context, points);
  context.stroke();
}

function trace(context: CanvasRenderingContext2D, points: readonly Point[]): void {
  context.beginPath();
  for (const [index, { x, y }] of points.entries()) {
    if (index === 0) context.moveTo(x, y);
    else context.lineTo(x, y);
  }
}
