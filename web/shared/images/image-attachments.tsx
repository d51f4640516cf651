import { ImagePlus, Pencil, X } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import type { AttachedImage } from "../../../src/review/api-types.ts";
import { Button, IconButton } from "../components/button.tsx";
import { announce, showToast } from "../components/toast.tsx";
import { DrawingDialog } from "./drawing-dialog.tsx";
import { imagesOf, imageUrl, uploadImage } from "./upload.ts";

interface ImageAttachmentsProps {
  readonly images: readonly AttachedImage[];
  readonly onChange: (images: readonly AttachedImage[]) => void;
  /** The text field the images belong to: pasting and dropping anywhere in it attaches. */
  readonly children: ReactNode;
  /** Unset where there is no server to upload to. */
  readonly canAttach?: boolean;
  /** Buttons that stand beside the attach button. */
  readonly actions?: ReactNode;
}

/** Wraps a text field: images pasted into it, dropped on it or chosen are uploaded and listed beneath. */
export function ImageAttachments({
  images,
  onChange,
  children,
  canAttach = true,
  actions,
}: ImageAttachmentsProps) {
  const [dragging, setDragging] = useState(false);
  const [drawingOn, setDrawingOn] = useState<AttachedImage>();
  const picker = useRef<HTMLInputElement>(null);
  const latest = useRef(images);
  latest.current = images;

  const attach = async (files: readonly File[], replacing?: AttachedImage) => {
    for (const file of files) {
      const result = await uploadImage(file);
      if (!result.ok) {
        showToast(result.message, { tone: "danger" });
        continue;
      }
      const kept = latest.current.filter((image) => image.path !== replacing?.path);
      latest.current = [...kept, result.image];
      onChange(latest.current);
      announce(`${result.image.name} attached`);
    }
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a drop target; the button beneath does the same by keyboard
    <div
      className="drop-target"
      data-dragging={dragging}
      onPaste={(event) => {
        const files = imagesOf(event.clipboardData);
        if (files.length === 0 || !canAttach) return;
        event.preventDefault();
        void attach(files);
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
        void attach(imagesOf(event.dataTransfer));
      }}
    >
      {children}
      {images.length > 0 && (
        <ul className="thumbnails">
          {images.map((image) => (
            <li key={image.path} className="thumbnail">
              <img src={imageUrl(image.path)} alt={image.name} />
              <span className="thumbnail-tools">
                <IconButton small label={`Draw on ${image.name}`} onClick={() => setDrawingOn(image)}>
                  <Pencil size={13} aria-hidden />
                </IconButton>
                <IconButton
                  small
                  label={`Remove ${image.name}`}
                  onClick={() => onChange(images.filter(({ path }) => path !== image.path))}
                >
                  <X size={13} aria-hidden />
                </IconButton>
              </span>
            </li>
          ))}
        </ul>
      )}
      <div className="attach-row">
        {canAttach && (
          <Button variant="quiet" small onClick={() => picker.current?.click()}>
            <ImagePlus size={15} aria-hidden /> Attach image
          </Button>
        )}
        {actions}
      </div>
      <input
        ref={picker}
        type="file"
        accept="image/png,image/jpeg,image/webp"
        multiple
        hidden
        onChange={(event) => {
          void attach([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      {drawingOn && (
        <DrawingDialog
          image={drawingOn}
          onClose={() => setDrawingOn(undefined)}
          onSave={(file) => void attach([file], drawingOn)}
        />
      )}
    </div>
  );
}
