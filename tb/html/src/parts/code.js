// Annotated machine code.
import { missing } from '../dom.js';

export function codeOf() {
  return () => missing('This report has no instructions.');
}
