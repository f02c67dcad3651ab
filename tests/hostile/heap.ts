/** The heap after garbage collection, with the memory of arrays. Units: bytes. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void

/** Lets the event loop go round, in which what is collected is given back. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export async function heapBytes(): Promise<number> {
  collect()
  await breathe()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
