// The package's own declarations name a module `domino`, not the name that it is published under.
declare module '@mixmark-io/domino' {
  /** The little of a DOM node that is needed to give it the methods that Observable Plot calls and domino lacks. */
  export interface DominoNode {
    appendChild(child: DominoNode): DominoNode
    ownerDocument: { createTextNode(text: string): DominoNode }
    outerHTML: string
    append?: (this: DominoNode, ...children: (DominoNode | string)[]) => void
  }
  const domino: {
    /** An empty HTML document: enough of a DOM for Observable Plot to draw SVG on. */
    createDocument(html?: string): DominoNode
    impl: { Element: { prototype: DominoNode } }
  }
  export default domino
}
