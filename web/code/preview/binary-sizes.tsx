import { useEffect } from "react";
import { create } from "zustand";
import type { DiffFile, DiffIndex, DiffSizes, FileSizes } from "../../../src/review/api-types.ts";
import { getJson } from "../../shared/api/client.ts";
import { bytes } from "../core/count.ts";
import { useSession } from "../state/session.ts";

interface SizesState {
  /** The diff to which the sizes belong, set when they are requested. */
  readonly of: DiffIndex | undefined;
  /** By `DiffFile.index`. */
  readonly files: ReadonlyMap<number, FileSizes>;
}

const useSizes = create<SizesState>(() => ({ of: undefined, files: new Map() }));

/**
 * Renders the sizes of a binary file before and after the change. The sizes of all binary files are loaded
 * when the first one is in view.
 */
export function BinarySizes({ file: { index: at } }: { readonly file: DiffFile }) {
  const index = useSession((session) => session.index);
  const sizes = useSizes(({ of, files }) => (of === index ? files.get(at) : undefined));
  useEffect(() => {
    if (index) void loadSizes(index);
  }, [index]);
  const shown = [sizes?.old, sizes?.new].flatMap((size) => (size === undefined ? [] : bytes(size)));
  if (shown.length === 0) return null;
  return (
    <>
      {" "}
      <span className="notice-size">Size: {shown.join(" → ")}.</span>
    </>
  );
}

async function loadSizes(index: DiffIndex): Promise<void> {
  if (useSizes.getState().of === index) return;
  useSizes.setState({ of: index, files: new Map() });
  const result = await getJson<DiffSizes>(`/api/diff/sizes?${useSession.getState().diffQuery}`);
  if (!result.ok || useSizes.getState().of !== index) return;
  useSizes.setState({ files: new Map(result.value.files.map((file) => [file.index, file])) });
}
