import "../styles/image-preview.css";
import { type PointerEvent, useState } from "react";
import { create } from "zustand";
import { Segmented } from "../../shared/components/segmented.tsx";
import { bytes } from "../core/count.ts";

type Side = "old" | "new";
type Mode = "sides" | "swipe" | "onion";

/**
 * The way in which all images of the page are compared. The choice is kept when an image scrolls out of view.
 */
const useMode = create<{ readonly mode: Mode }>(() => ({ mode: "sides" }));

/** URLs of an image before and after a change; a new or deleted image has only one. */
export interface ImageSources {
  readonly old?: string | undefined;
  readonly new?: string | undefined;
}

interface LoadedImage {
  readonly width: number;
  readonly height: number;
  readonly description: string;
}

interface ImageComparisonProps {
  /** What the images show, for example the path of a file. Part of their accessible names. */
  readonly name: string;
  readonly sources: ImageSources;
}

/**
 * Renders an image before and after a change: side by side, or overlaid with a movable divider or adjustable
 * opacity.
 */
export function ImageComparison({ name, sources }: ImageComparisonProps) {
  const mode = useMode((state) => state.mode);
  const [loaded, setLoaded] = useState<Partial<Record<Side, LoadedImage>>>({});
  const [failed, setFailed] = useState<Side>();
  const { old: before, new: after } = loaded;
  return (
    <div className="image-comparison">
      {before && after && (
        <Segmented
          label={`Compare the images of ${name}`}
          value={mode}
          onChange={(next) => useMode.setState({ mode: next })}
          options={[
            { value: "sides", label: "Side by side" },
            { value: "swipe", label: "Swipe" },
            { value: "onion", label: "Onion skin" },
          ]}
        />
      )}
      {mode !== "sides" && before && after ? (
        <Overlay key={mode} mode={mode} name={name} sources={sources} before={before} after={after} />
      ) : (
        <div className="image-preview">
          {(["old", "new"] as const).map((side) => (
            <ImageSide
              key={side}
              side={side}
              name={name}
              source={sources[side]}
              description={loaded[side]?.description ?? ""}
              onLoad={(image) => setLoaded((images) => ({ ...images, [side]: image }))}
              onError={() => setFailed(side)}
            />
          ))}
        </div>
      )}
      {/* A file with an image's name can have other content. If neither side is an image, no error is shown. */}
      {failed !== undefined && (before ?? after) && (
        <p className="hint">The image {when(failed)} the change cannot be displayed.</p>
      )}
    </div>
  );
}

interface ImageSideProps {
  readonly side: Side;
  readonly name: string;
  readonly source: string | undefined;
  readonly description: string;
  readonly onLoad: (image: LoadedImage) => void;
  readonly onError: () => void;
}

const when = (side: Side): string => (side === "old" ? "before" : "after");

function ImageSide({ side, name, source, description, onLoad, onError }: ImageSideProps) {
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed || source === undefined) return null;
  const fail = () => {
    setFailed(true);
    onError();
  };
  return (
    <figure>
      <img
        src={source}
        alt={`${name} ${when(side)} the change`}
        onLoad={({ currentTarget }) => onLoad(describeImage(currentTarget))}
        onError={fail}
      />
      <figcaption>
        {when(side)}
        {description !== "" && `, ${description}`}
      </figcaption>
    </figure>
  );
}

/** Returns the width and height of a loaded image, and its size in bytes if the browser reports it. */
function describeImage({ naturalWidth, naturalHeight, currentSrc }: HTMLImageElement): LoadedImage {
  const entry = performance.getEntriesByName(currentSrc).at(-1);
  const size = entry instanceof PerformanceResourceTiming ? entry.decodedBodySize : 0;
  return {
    width: naturalWidth,
    height: naturalHeight,
    description: `${naturalWidth} × ${naturalHeight}${size > 0 ? `, ${bytes(size)}` : ""}`,
  };
}

interface OverlayProps extends ImageComparisonProps {
  readonly mode: "swipe" | "onion";
  readonly before: LoadedImage;
  readonly after: LoadedImage;
}

/** Width to which smaller images are enlarged, in rem, so that their pixels and the divider can be seen. */
const MIN_REM = 12;
/** Maximum height of an overlay, in rem. */
const MAX_HEIGHT_REM = 26;
/** Width in pixels below which enlarged pixels keep their edges. */
const PIXELATED_BELOW = 64;

/** Renders both images at the same scale and with the same top left corner. */
function Overlay({ mode, name, sources, before, after }: OverlayProps) {
  const [percent, setPercent] = useState(50);
  const [width, height] = [Math.max(before.width, after.width), Math.max(before.height, after.height)];
  const fitting = `min(max(${width}px, ${MIN_REM}rem), ${(MAX_HEIGHT_REM * width) / height}rem)`;
  const isSwipe = mode === "swipe";
  const isSmall = width < PIXELATED_BELOW;
  const share = (image: LoadedImage) => `${(100 * image.width) / width}%`;
  const follow = (event: PointerEvent<HTMLElement>) => {
    if (!isSwipe || event.buttons !== 1) return;
    const box = event.currentTarget.getBoundingClientRect();
    event.currentTarget.setPointerCapture(event.pointerId);
    setPercent(Math.round(Math.min(100, Math.max(0, (100 * (event.clientX - box.left)) / box.width))));
  };
  return (
    <div className="image-overlay" style={{ width: `min(100%, max(${MIN_REM}rem, ${fitting}))` }}>
      <div className="image-frame" style={{ width: `min(100%, ${fitting})` }}>
        <div
          className={isSwipe ? "image-stage image-stage-swipe" : "image-stage image-stage-onion"}
          style={{ aspectRatio: `${width} / ${height}`, imageRendering: isSmall ? "pixelated" : undefined }}
          onPointerDown={follow}
          onPointerMove={follow}
        >
          <div
            style={isSwipe ? { clipPath: `inset(0 ${100 - percent}% 0 0)` } : { opacity: 1 - percent / 100 }}
          >
            <img
              src={sources.old}
              alt={`${name} before the change`}
              style={{ width: share(before) }}
              draggable={false}
            />
          </div>
          <div style={isSwipe ? { clipPath: `inset(0 0 0 ${percent}%)` } : { opacity: percent / 100 }}>
            <img
              src={sources.new}
              alt={`${name} after the change`}
              style={{ width: share(after) }}
              draggable={false}
            />
          </div>
          {isSwipe && <span className="image-divider" style={{ left: `${percent}%` }} aria-hidden />}
        </div>
      </div>
      <label className="image-slider">
        <span className="visually-hidden">
          {isSwipe ? "Divider between before and after" : "Opacity of the image after the change"}
        </span>
        <input
          type="range"
          min={0}
          max={100}
          value={percent}
          onChange={({ target }) => setPercent(Number(target.value))}
        />
      </label>
      <p className="image-ends">
        <span>before, {before.description}</span>
        <span>after, {after.description}</span>
      </p>
    </div>
  );
}

/** Maximum length in UTF-16 units of an SVG that is shown as an image. */
const MAX_SVG_LENGTH = 1_000_000;

/**
 * Returns a data URL of an SVG for an `img` element, in which browsers run no scripts and load no files. A data URL has
 * no origin, even if the image is opened in a tab. Returns undefined if the text is absent, too long, or declares
 * entities, which can expand to any size.
 */
export function svgUrl(text: string | undefined): string | undefined {
  if (text === undefined || text.length > MAX_SVG_LENGTH || /<!ENTITY/i.test(text)) return undefined;
  return `data:image/svg+xml,${encodeURIComponent(text)}`;
}
