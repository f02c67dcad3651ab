/** A capture file decoded, once or again for an observer, with its progress on the terminal. */
import { type Decoded, type DecodeObserver, Decoder } from '../../live/decode/index.ts'
import type { Context } from '../context.ts'
import { readCapture } from '../files/capture-file.ts'
import { percent, ProgressLine } from '../progress-line.ts'

export interface CaptureInput {
  /** As the user named it. */
  readonly name: string
  readonly isIrn: boolean
  readonly rateBps: number | undefined
}

/** Throws InputError. */
export function decodedFile(
  context: Context,
  { name, isIrn, rateBps }: CaptureInput,
  observer?: DecodeObserver,
): Decoded {
  const decoder = new Decoder({
    isIrn,
    ...(rateBps === undefined ? {} : { rateBps }),
    ...(observer === undefined ? {} : { observer }),
  })
  const progress = new ProgressLine(context.terminal)
  try {
    const facts = readCapture(
      context.directory,
      name,
      (record, application) => decoder.add(record, application),
      (share) => progress.update(() => `decode ${name}${observer === undefined ? '' : ' again'}: ${percent(share)}`),
    )
    return decoder.end(facts)
  } finally {
    progress.clear()
  }
}
