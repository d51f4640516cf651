import { ImagePlus, Pencil, X } from "lucide-react";
import { lazy, type ReactNode, Suspense, useRef, useState } from "react";
import type { AttachedImage } from "../../../src/review/api-types.ts";
import { Button, IconButton } from "../components/button.tsx";
import { Region } from "../components/error-boundary.tsx";
import { announce, showToast } from "../components/toast.tsx";
import { getImageFiles, imageUrl, uploadImage } from "./upload.ts";

const DrawingDialog = lazy(() =>
  import("./drawing-dialog.tsx").then((module) => ({ default: module.DrawingDialog })),
);

interface ImageAttachmentsProps {
  readonly images: readonly AttachedImage[];
  readonly onChange: (images: readonly AttachedImage[]) => void;
  /** The text field. Images that are pasted into it or dropped on it are attached. */
  readonly children: ReactNode;
  /** False if there is no server to which images can be uploaded. */
  readonly canAttach?: boolean;
  /** Buttons next to the attach button. */
  readonly actions?: ReactNode;
}

/** Wraps a text field. Images that are pasted, dropped or chosen are uploaded and listed below the field. */
export function ImageAttachments(props: ImageAttachmentsProps) {
  const { images, onChange, children, canAttach = true, actions } = props;
  const [drawingOn, setDrawingOn] = useState<AttachedImage>();
  const attach = useAttach(images, onChange);
  return (
    <DropTarget canAttach={canAttach} onFiles={attach}>
      {children}
      {images.length > 0 && (
        <Thumbnails
          images={images}
          onDraw={canAttach ? setDrawingOn : undefined}
          onRemove={({ path }) => onChange(images.filter((image) => image.path !== path))}
        />
      )}
      <div className="attach-row">
        {canAttach && <ImagePicker onFiles={attach} />}
        {actions}
      </div>
      {drawingOn && (
        <Region name="The drawing">
          <Suspense fallback={null}>
            <DrawingDialog
              image={drawingOn}
              onClose={() => setDrawingOn(undefined)}
              onSave={(file) => attach([file], drawingOn)}
            />
          </Suspense>
        </Region>
      )}
    </DropTarget>
  );
}

/** Resolves to false if a file was not attached. */
type Attach = (files: readonly File[], replacing?: AttachedImage) => Promise<boolean>;

/** Returns a function that uploads files one by one, adds the accepted ones and shows the error for the others. */
function useAttach(
  images: readonly AttachedImage[],
  onChange: (images: readonly AttachedImage[]) => void,
): Attach {
  const latest = useRef(images);
  latest.current = images;
  return async (files, replacing) => {
    let areAllAttached = true;
    for (const file of files) {
      const result = await uploadImage(file);
      if (!result.ok) {
        showToast(result.message, { tone: "danger" });
        areAllAttached = false;
        continue;
      }
      const kept = latest.current.filter((image) => image.path !== replacing?.path);
      latest.current = [...kept, result.image];
      onChange(latest.current);
      announce(`${result.image.name} attached`);
    }
    return areAllAttached;
  };
}

interface DropTargetProps {
  readonly canAttach: boolean;
  readonly onFiles: Attach;
  readonly children: ReactNode;
}

function DropTarget({ canAttach, onFiles, children }: DropTargetProps) {
  const [dragging, setDragging] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button beneath does the same by keyboard
    <div
      className="drop-target"
      data-dragging={dragging}
      onPaste={(event) => {
        const files = getImageFiles(event.clipboardData);
        if (files.length === 0 || !canAttach) return;
        event.preventDefault();
        void onFiles(files);
      }}
      onDragOver={(event) => {
        if (!canAttach || ![...event.dataTransfer.types].includes("Files")) return;
        event.preventDefault();
        setDragging(true);
      }}
      onDragLeave={() => setDragging(false)}
      onDrop={(event) => {
        if (!canAttach) return;
        event.preventDefault();
        setDragging(false);
        void onFiles(getImageFiles(event.dataTransfer));
      }}
    >
      {children}
    </div>
  );
}

function ImagePicker({ onFiles }: { readonly onFiles: Attach }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button variant="quiet" small onClick={() => picker.current?.click()}>
        <ImagePlus size={15} aria-hidden /> Attach image
      </Button>
      <input
        ref={picker}
        type="file"
        accept="image/png,image/jpeg,image/webp"
        multiple
        hidden
        onChange={(event) => {
          void onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}

interface ThumbnailsProps {
  readonly images: readonly AttachedImage[];
  /** Undefined if a drawing cannot be uploaded. */
  readonly onDraw: ((image: AttachedImage) => void) | undefined;
  readonly onRemove: (image: AttachedImage) => void;
}

function Thumbnails({ images, onDraw, onRemove }: ThumbnailsProps) {
  return (
    <ul className="thumbnails">
      {images.map((image) => (
        <li key={image.path} className="thumbnail">
          <img src={imageUrl(image.path)} alt={image.name} />
          <span className="thumbnail-tools">
            {onDraw && (
              <IconButton small label={`Draw on ${image.name}`} onClick={() => onDraw(image)}>
                <Pencil size={13} aria-hidden />
              </IconButton>
            )}
            <IconButton small label={`Remove ${image.name}`} onClick={() => onRemove(image)}>
              <X size={13} aria-hidden />
            </IconButton>
          </span>
        </li>
      ))}
    </ul>
  );
}
