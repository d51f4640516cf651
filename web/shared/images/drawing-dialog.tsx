import { MoveUpRight, Pencil, Square, Undo2 } from "lucide-react";
import { type PointerEvent, useEffect, useRef, useState } from "react";
import type { AttachedImage } from "../../../src/review/api-types.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Segmented } from "../components/segmented.tsx";
import { drawMark, type Mark, type Point, type Tool, widthFor } from "./drawing.ts";
import { imageUrl } from "./upload.ts";

const COLORS = [
  { name: "Red", value: "#d92d20" },
  { name: "Yellow", value: "#f5b50a" },
  { name: "Green", value: "#1f9d72" },
  { name: "Black", value: "#111111" },
] as const;

interface DrawingDialogProps {
  readonly image: AttachedImage;
  /** The image with the marks drawn into it. */
  readonly onSave: (file: File) => void;
  readonly onClose: () => void;
}

/** Draws on an attached image: pen, arrow, rectangle, undo. */
export function DrawingDialog({ image, onSave, onClose }: DrawingDialogProps) {
  const [tool, setTool] = useState<Tool>("pen");
  const [color, setColor] = useState<string>(COLORS[0].value);
  const [marks, setMarks] = useState<readonly Mark[]>([]);
  const canvas = useRef<HTMLCanvasElement>(null);

  const save = () =>
    canvas.current?.toBlob((blob) => {
      if (blob)
        onSave(new File([blob], `${image.name.replace(/\.[^.]*$/, "")}-marked.png`, { type: "image/png" }));
      onClose();
    }, "image/png");

  return (
    <Dialog
      title={`Draw on ${image.name}`}
      wide
      onClose={onClose}
      footer={
        <>
          <Button className="push" disabled={marks.length === 0} onClick={() => setMarks(marks.slice(0, -1))}>
            <Undo2 size={16} aria-hidden /> Undo
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={marks.length === 0} onClick={save}>
            Use drawing
          </Button>
        </>
      }
    >
      <div className="drawing-tools">
        <ToolChoice tool={tool} onChange={setTool} />
        <ColorChoice color={color} onChange={setColor} />
      </div>
      <DrawingCanvas
        ref={canvas}
        image={image}
        tool={tool}
        color={color}
        marks={marks}
        onMark={(mark) => setMarks([...marks, mark])}
      />
    </Dialog>
  );
}

function ToolChoice({ tool, onChange }: { readonly tool: Tool; readonly onChange: (tool: Tool) => void }) {
  return (
    <Segmented
      label="Tool"
      value={tool}
      onChange={onChange}
      options={[
        { value: "pen", label: <ToolLabel Icon={Pencil} name="Pen" /> },
        { value: "arrow", label: <ToolLabel Icon={MoveUpRight} name="Arrow" /> },
        { value: "rectangle", label: <ToolLabel Icon={Square} name="Rectangle" /> },
      ]}
    />
  );
}

function ColorChoice({
  color,
  onChange,
}: {
  readonly color: string;
  readonly onChange: (color: string) => void;
}) {
  return (
    <Segmented
      label="Colour"
      value={color}
      onChange={onChange}
      options={COLORS.map(({ name, value }) => ({
        value,
        label: (
          <>
            <span className="swatch" style={{ background: value }} aria-hidden />
            <span className="visually-hidden">{name}</span>
          </>
        ),
      }))}
    />
  );
}

function ToolLabel({ Icon, name }: { readonly Icon: typeof Pencil; readonly name: string }) {
  return (
    <>
      <Icon size={15} aria-hidden /> {name}
    </>
  );
}

interface DrawingCanvasProps {
  readonly ref: React.RefObject<HTMLCanvasElement | null>;
  readonly image: AttachedImage;
  readonly tool: Tool;
  readonly color: string;
  readonly marks: readonly Mark[];
  readonly onMark: (mark: Mark) => void;
}

function DrawingCanvas({ ref, image, tool, color, marks, onMark }: DrawingCanvasProps) {
  const [picture, setPicture] = useState<HTMLImageElement>();
  const [current, setCurrent] = useState<Mark>();

  useEffect(() => {
    const element = new Image();
    element.onload = () => setPicture(element);
    element.src = imageUrl(image.path);
  }, [image.path]);

  useEffect(() => {
    const context = ref.current?.getContext("2d");
    if (!context || !picture) return;
    context.drawImage(picture, 0, 0);
    for (const mark of current ? [...marks, current] : marks) drawMark(context, mark);
  }, [ref, picture, marks, current]);

  const extend = (event: PointerEvent) => {
    if (!current) return;
    const point = pointOn(ref.current, event);
    const points = tool === "pen" ? [...current.points, point] : [current.points[0] ?? point, point];
    setCurrent({ ...current, points });
  };

  return (
    <div className="drawing">
      {picture ? (
        <canvas
          ref={ref}
          width={picture.naturalWidth}
          height={picture.naturalHeight}
          aria-label={`${image.name}, a drawing surface for pointer or touch`}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            const points = [pointOn(ref.current, event)];
            setCurrent({ tool, color, width: widthFor(picture.naturalWidth), points });
          }}
          onPointerMove={extend}
          onPointerUp={() => {
            if (current) onMark(current);
            setCurrent(undefined);
          }}
        />
      ) : (
        <p className="hint">Loading the image …</p>
      )}
    </div>
  );
}

/** Where the pointer is, in the canvas's own pixels. */
function pointOn(canvas: HTMLCanvasElement | null, event: PointerEvent): Point {
  if (!canvas) return { x: 0, y: 0 };
  const box = canvas.getBoundingClientRect();
  return {
    x: ((event.clientX - box.left) / box.width) * canvas.width,
    y: ((event.clientY - box.top) / box.height) * canvas.height,
  };
}
