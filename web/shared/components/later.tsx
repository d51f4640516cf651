import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { Dialog } from "./dialog.tsx";

type Load<Props> = () => Promise<ComponentType<Props>>;

/** Functions that load the parts that are not loaded yet. */
const waiting = new Set<() => Promise<void>>();

interface LaterProps {
  /** Shown until the part is loaded. */
  readonly fallback?: ReactNode;
}

/**
 * Creates a component whose code is loaded by `loadWhenIdle` or with its first use. Once the code is loaded, the
 * component renders immediately: React's `lazy` would show its fallback for up to 300 ms, and keys typed meanwhile
 * would not reach the component.
 */
export function later<Props extends object>(load: Load<Props>): ComponentType<Props & LaterProps> {
  let Loaded: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const start = () => {
    loading ??= load().then(
      (component) => {
        Loaded = component;
        waiting.delete(start);
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  waiting.add(start);
  return function Later({ fallback = null, ...props }: Props & LaterProps) {
    const [failure, setFailure] = useState<unknown>();
    const [isLoaded, setLoaded] = useState(Loaded !== undefined);
    useEffect(() => {
      if (isLoaded) return;
      let isMounted = true;
      start().then(
        () => isMounted && setLoaded(true),
        (error: unknown) => isMounted && setFailure(error),
      );
      return () => {
        isMounted = false;
      };
    }, [isLoaded]);
    // The region around the component shows the error and offers to try again.
    if (failure !== undefined) throw failure;
    return isLoaded && Loaded ? <Loaded {...(props as unknown as Props)} /> : fallback;
  };
}

/** Renders a dialog in place of one that is loading, so that no key reaches the page behind it. */
export function WaitingDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Loading …" onClose={onClose}>
      <p className="hint">This dialog is loading.</p>
    </Dialog>
  );
}

/**
 * Loads one part after the other when the browser is idle. A part that fails to load is loaded again with its
 * first use.
 */
export async function loadWhenIdle(): Promise<void> {
  for (const start of [...waiting]) {
    await idle();
    await start().catch(() => {});
  }
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari has no idle callbacks.
    if ("requestIdleCallback" in window) requestIdleCallback(() => resolve(), { timeout: 2_000 });
    else setTimeout(resolve, 200);
  });
}
