import "../shared/styles/shared.css";
import "../shared/styles/markdown-layer.css";
import "./styles/plan.css";
import { afterPaint } from "../shared/after-paint.ts";

/** The server prerenders the plan's text, so scripts load after the first paint. */
void afterPaint()
  .then(() => import("./app.tsx"))
  .then(({ start }) => start());
