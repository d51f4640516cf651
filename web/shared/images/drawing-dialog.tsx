import { MoveUpRight, Pencil, Square, Type, Undo2 } from "lucide-react";
import { type PointerEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import type { AttachedImage } from "../../../src/review/api-types.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { ErrorLine } from "../components/error-line.tsx";
import { Segmented } from "../components/segmented.tsx";
import { showToast } from "../components/toast.tsx";
import { KeyHint } from "../keyboard/key-hint.tsx";
import { keyName } from "../keyboard/keys.ts";
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
  /** Attaches the image with the marks drawn on it. Resolves to false if this fails. */
  readonly onSave: (file: File) => Promise<boolean>;
  readonly onClose: () => void;
}

/** Unfinished drawings by image path, which are continued when the image is opened again. */
const keptMarks = new Map<string, readonly Mark[]>();

/**
 * Renders a dialog to draw on an attached image: pen, arrow, rectangle, text, undo. Closing it keeps the
 * drawing.
 */
export function DrawingDialog({ image, onSave, onClose }: DrawingDialogProps) {
  const [tool, setTool] = useState<Tool>("pen");
  const [color, setColor] = useState<string>(COLORS[0].value);
  const [marks, setMarks] = useState<readonly Mark[]>(() => keptMarks.get(image.path) ?? []);
  const [error, setError] = useState<string>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const undo = () => setMarks(marks.slice(0, -1));
  useUndoKey(undo);

  const attach = async (blob: Blob | null) => {
    if (!blob) {
      setError("Drawing not attached: the browser could not create the image. Try again.");
      return;
    }
    keptMarks.set(image.path, marks);
    onClose();
    const name = `${image.name.replace(/\.[^.]*$/, "")}-marked.png`;
    if (await onSave(new File([blob], name, { type: "image/png" }))) keptMarks.delete(image.path);
  };
  const save = () => canvas.current?.toBlob((blob) => void attach(blob), "image/png");
  const keep = () => {
    keptMarks.set(image.path, marks);
    if (marks.length > 0) showToast("Drawing kept: draw on the image again to continue");
    onClose();
  };
  const discard = () => {
    keptMarks.delete(image.path);
    const action = { label: "Undo", run: () => void keptMarks.set(image.path, marks) };
    if (marks.length > 0) showToast("Drawing discarded", { action });
    onClose();
  };

  return (
    <Dialog
      title={`Draw on ${image.name}`}
      wide
      onClose={keep}
      footer={
        <>
          <ErrorLine error={error} />
          <Button className="push" disabled={marks.length === 0} onClick={undo}>
            <Undo2 size={16} aria-hidden /> Undo <KeyHint keys="Mod+z" />
          </Button>
          <Button onClick={discard}>Discard</Button>
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
        { value: "text", label: <ToolLabel Icon={Type} name="Text" /> },
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
      label="Color"
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
  const [loadedImage, setLoadedImage] = useState<HTMLImageElement>();
  const [isFailed, setIsFailed] = useState(false);
  const [current, setCurrent] = useState<Mark>();
  const [textAt, setTextAt] = useState<Point>();

  useEffect(() => {
    const element = new Image();
    element.onload = () => setLoadedImage(element);
    element.onerror = () => setIsFailed(true);
    element.src = imageUrl(image.path);
  }, [image.path]);

  useEffect(() => {
    const context = ref.current?.getContext("2d");
    if (!context || !loadedImage) return;
    context.drawImage(loadedImage, 0, 0);
    for (const mark of current ? [...marks, current] : marks) drawMark(context, mark);
  }, [ref, loadedImage, marks, current]);

  const extend = (event: PointerEvent) => {
    if (!current) return;
    const point = pointOn(ref.current, event);
    const points = tool === "pen" ? [...current.points, point] : [current.points[0] ?? point, point];
    setCurrent({ ...current, points });
  };

  return (
    <div className="drawing">
      {loadedImage ? (
        <div className="drawing-surface">
          <canvas
            ref={ref}
            width={loadedImage.naturalWidth}
            height={loadedImage.naturalHeight}
            aria-label={`${image.name}, a drawing surface for pointer or touch`}
            onPointerDown={(event) => {
              if (tool === "text") {
                event.preventDefault();
                setTextAt(pointOn(ref.current, event));
                return;
              }
              event.currentTarget.setPointerCapture(event.pointerId);
              const points = [pointOn(ref.current, event)];
              setCurrent({ tool, color, width: widthFor(loadedImage.naturalWidth), points });
            }}
            onPointerMove={extend}
            onPointerUp={() => {
              if (current) onMark(current);
              setCurrent(undefined);
            }}
            onPointerCancel={() => setCurrent(undefined)}
          />
          {textAt && (
            <TextInput
              key={`${textAt.x} ${textAt.y}`}
              left={textAt.x / loadedImage.naturalWidth}
              top={textAt.y / loadedImage.naturalHeight}
              onText={(text) => {
                setTextAt(undefined);
                if (text.trim() === "") return;
                onMark({ tool, color, width: widthFor(loadedImage.naturalWidth), points: [textAt], text });
              }}
            />
          )}
        </div>
      ) : (
        <ImageState isFailed={isFailed} name={image.name} />
      )}
    </div>
  );
}

function ImageState({ isFailed, name }: { readonly isFailed: boolean; readonly name: string }) {
  if (!isFailed) return <p className="hint">Loading the image …</p>;
  return <ErrorLine error={`Cannot load ${name}. The file may have been removed. Attach the image again.`} />;
}

interface TextInputProps {
  /** The position, as fractions of the image's width and height. */
  readonly left: number;
  readonly top: number;
  readonly onText: (text: string) => void;
}

/** Renders a field for text on the image. The text is kept regardless of how the person leaves the field. */
function TextInput({ left, top, onText }: TextInputProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <input
      ref={field}
      className="input drawing-text"
      style={{ left: `${left * 100}%`, top: `${top * 100}%` }}
      aria-label="Text on the image"
      onBlur={({ currentTarget }) => onText(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        event.currentTarget.blur();
      }}
    />
  );
}

function isTextInput(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === "text";
}

/** Calls `undo` on Ctrl+Z or Cmd+Z, except in a text field. */
function useUndoKey(undo: () => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (keyName(event) !== "Mod+z" || isTextInput(event.target)) return;
    event.preventDefault();
    undo();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

/** Returns the position of the pointer in canvas pixels. */
function pointOn(canvas: HTMLCanvasElement | null, event: PointerEvent): Point {
  if (!canvas) return { x: 0, y: 0 };
  const box = canvas.getBoundingClientRect();
  return {
    x: ((event.clientX - box.left) / box.width) * canvas.width,
    y: ((event.clientY - box.top) / box.height) * canvas.height,
  };
}
