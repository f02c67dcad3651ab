/**
 * Collected fabric: the devices and links of a collected folder. One of which nothing could be read is a mistake: a wrong
 * path must not look like a fabric without faults.
 */
import { exactCount } from '../../core/base/format.ts'
import { type InputError, inputError } from '../../core/base/issue.ts'
import { type Fabric, fabricOf, isUnread } from '../../doctor/index.ts'
import type { Terminal } from '../context.ts'
import { ProgressLine } from '../progress-line.ts'
import type { CollectedFolder } from './collected-folder.ts'

const NAMES_MOST = 4

/** @param shown the folder as the user named it  @param terminal that shows how far it is, if there is one */
export function collectedFabric(collected: CollectedFolder, shown: string, terminal?: Terminal): Fabric {
  const progress = new ProgressLine(terminal)
  function* watched(): ReturnType<CollectedFolder['files']> {
    let count = 0
    for (const each of collected.files()) {
      count++
      progress.update(() => `${shown}: ${exactCount(count)} of ${exactCount(collected.devices.length)} devices`)
      yield each
    }
  }
  let fabric: Fabric
  try {
    fabric = fabricOf(watched(), collected.edges)
  } finally {
    progress.clear()
  }
  if ([...fabric.devices.values()].every((device) => isUnread(device))) throw nothingRead(shown, collected)
  return fabric
}

export function nothingRead(shown: string, { devices }: CollectedFolder): InputError {
  const names = `${devices.slice(0, NAMES_MOST).join(', ')}${devices.length > NAMES_MOST ? ' ...' : ''}`
  const hint = 'rocelab doctor --collect lists what to collect'
  return inputError(shown, 'files of hosts or switches', `none of a known form (${names})`, hint)
}
