import "../shared/styles/shared.css";
import "./styles/inbox.css";
import { afterPaint } from "../shared/after-paint.ts";

/** The page's header is part of the HTML, so scripts load after the first paint. */
void afterPaint()
  .then(() => import("./inbox.tsx"))
  .then(({ start }) => start());
