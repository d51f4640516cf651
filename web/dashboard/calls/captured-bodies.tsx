import type { CallDetailView } from "../../../src/proxy/gateway/admin-api-types.ts";
import { count } from "../../../src/render/dashboard/amounts.ts";
import { useSession } from "../data/session.ts";

type Captured = CallDetailView["captured"];
type Body = NonNullable<Captured>["request"];

/**
 * Renders the captured bodies of a call, or the reason why there are none. Renders nothing if the person is not an
 * admin.
 */
export function CapturedBodies({ captured }: { readonly captured: Captured }) {
  const { isAdmin } = useSession();
  if (!isAdmin) return null;
  return (
    <>
      <h3>Captured bodies</h3>
      {captured === null ? (
        <p className="secondary">
          None: the bodies were not captured or have been deleted. <code>proxy.capture</code> and the settings
          of each key define which bodies are kept.
        </p>
      ) : (
        <>
          <CapturedBody name="Request" body={captured.request} />
          <CapturedBody name="Response" body={captured.response} />
        </>
      )}
    </>
  );
}

function CapturedBody({ name, body }: { readonly name: string; readonly body: Body }) {
  if (body === null) return <p className="secondary">{name}: no body.</p>;
  return (
    <details className="captured">
      <summary>
        {name}, {count(body.bytes)} bytes
        {body.truncated && <span className="secondary"> (only the beginning was kept)</span>}
      </summary>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        tabIndex={0}
        aria-label={`${name} body`}
      >
        <pre>{body.truncated ? body.text : indent(body.text)}</pre>
      </section>
    </details>
  );
}

/** Returns a JSON text with line breaks and indentation, and any other text unchanged. */
function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
