/**
 * Needs: values that rules about one device ask for. Of a switch whose configuration is not whole, and of a host's port that
 * no file names, they find no place to be asked: then they are not judged there, and that is said.
 */
import type { End, Fabric } from '../../devices/joins/index.ts'
import { fieldsOf, knownOf } from '../../../core/device-model/index.ts'
import { formFor } from './forms.ts'
import { hostLinks, hostSettingsOf, linksUp } from './look.ts'
import { deviceSpot, type Saying } from './saying.ts'

/** Rules about ports with PFC. */
const OF_LOSSLESS: Readonly<Record<string, string>> = {
  PFC02: 'classes.hasHeadroom',
  PFC03: 'classes.pausedQueue',
  PFC04: 'pfcClasses',
  PFC05: 'classes.queue',
  MAP04: 'dscpToClass',
  MAP05: 'dscpToClass',
  BUF01: 'classes.headroomBytes',
  BUF02: 'classes.headroomBytes',
  BUF04: 'classes.alpha',
  BUF05: 'classes.alpha',
  BUF06: 'classes.headroomBytes',
  BUF07: 'classes.dropsAtEgress',
  BUF08: 'classes.xonBytes',
  BUF10: 'classes.reserveBytes',
  BUF11: 'classes.hasHeadroom',
  BUF12: 'cableM',
  ECN01: 'classes.alpha',
  ECN02: 'classes.alpha',
  ECN03: 'classes.marks',
  ECN04: 'classes.kminBytes',
  ECN07: 'classes.marks',
  MTU03: 'classes.classMtuBytes',
  CNP01: 'dscpToClass',
  WD01: 'classes.isWatched',
  SCH01: 'classes.schedule',
}

/** Others: about the switch, or about what is written for a port. */
const OF_SWITCHES: Readonly<Record<string, string>> = {
  REF01: 'references',
  PFC08: 'pfcWritten',
  VLN01: 'vlanMode',
  FLD01: 'floodsLossless',
  FLD03: 'arpSeconds',
  ADR01: 'balance',
  WD02: 'watchdog.detectionPs',
  WD03: 'watchdog.action',
  WD04: 'watchdog.restorationPs',
  WD05: 'watchdog.detectionPs',
}

/** About ports of hosts by themselves. */
const OF_HOSTS: Readonly<Record<string, readonly string[]>> = {
  MAP06: ['trust'],
  HST02: ['pfcClasses'],
  HST03: ['pfcClasses'],
  HST05: ['job', 'nic.sysfsTclass', 'nic.cmaTclass'],
  HST08: ['job'],
  HST09: ['job'],
  HST10: ['job'],
  ECN06: ['pfcClasses'],
}

function isKnown({ at, config }: End, field: string): boolean {
  if (field === 'job') return at !== null && hostSettingsOf(at)?.job !== undefined
  const settings = config === null ? [] : fieldsOf(config.settings)
  return settings.some(({ name, value }) => name === field && value.state !== 'unknown')
}

/** Notes where a rule found nothing to judge for want of a configuration. It was asked before. */
export function lackConfigs(fabric: Fabric, rule: string, say: Saying): void {
  const ofHosts = OF_HOSTS[rule] ?? []
  const found = new Set(say.findings.map(({ subject }) => `${subject.device} ${subject.interface}`))
  for (const { host } of ofHosts.length > 0 ? hostLinks(fabric) : [])
    for (const asked of ofHosts)
      if (!isKnown(host, asked) && !found.has(`${host.device} ${host.port}`)) say.lacks(host, asked)
  const ofLossless = OF_LOSSLESS[rule]
  const field = ofLossless ?? OF_SWITCHES[rule]
  if (field === undefined) return
  const canDecide = (device: string, asked: string): boolean => formFor(fabric.devices.get(device), asked) !== ''
  if (ofLossless !== undefined)
    for (const { ends } of linksUp(fabric))
      for (const end of ends)
        if (end.at?.config.kind === 'switch' && knownOf(end.config?.settings.pfcClasses) === undefined)
          if (canDecide(end.device, field) && canDecide(end.device, 'pfcClasses')) say.lacks(end, 'pfcClasses')
  const said = new Set([...say.judged, ...say.missing.map(({ device }) => device)])
  for (const [device, at] of fabric.devices)
    if (at.config.kind === 'switch' && !at.isComplete && !said.has(device) && canDecide(device, field))
      say.lacks(deviceSpot(at), field)
}
