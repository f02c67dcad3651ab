/** Link: what carries the frames of a party to other ends, and gives it theirs. */
export interface FrameLink {
  /** Called for each frame that arrives; its bytes may be used again afterwards. */
  onFrame: ((frame: Uint8Array) => void) | null
  send(frame: Uint8Array): void
  close(): Promise<void>
}
