/**
 * Outputs of dcb -j pfc|app|buffer|ets|apptrust show dev IF, in one object under their names.
 * Source: as the reader (dialects/hosts/qos/dcb.ts).
 */
import { knownOf } from '../../../../core/device-model/index.ts'
import { type Form, type HostPort, perPort } from './host-port.ts'
import { TOTAL_BUFFER_BYTES } from './mlnx-qos.ts'
import { flagsOf, trafficClassesOf } from './traffic-classes.ts'

/** Fields by which packets are classified, the one that counts first. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  dscp: ['dscp'],
  pcp: ['pcp'],
  both: ['pcp', 'dscp'],
  none: [],
}

/** A table with an entry for a DSCP means trust in DSCPs, and one without means trust in PCP. */
function appOf(port: HostPort): Record<string, unknown> {
  const trust = knownOf(port.settings.trust)
  const entries = port.dscps()
  port.say('trust', 'dscpToClass')
  if (trust === undefined && entries.length === 0) return {}
  const meant = entries.length > 0 ? 'dscp' : 'pcp'
  return {
    app: { dscp_prio: entries.map(({ dscp, priority }) => [dscp, priority, ' ']) },
    ...(trust === undefined || trust === meant ? {} : { apptrust: { order: ORDERS[trust] } }),
  }
}

function text(port: HostPort): string {
  const { settings, nic } = port
  const pfc = knownOf(settings.pfcClasses)
  const classes = trafficClassesOf(settings)
  const [buffers, sizes] = [knownOf(nic.bufferOfClass), knownOf(nic.bufferBytes)]
  port.say('pfcClasses')
  if (buffers !== undefined) port.say('nic.bufferOfClass', 'nic.bufferBytes')
  const { app, apptrust } = appOf(port)
  const sections = {
    ...(pfc && {
      pfc: { pfc_cap: 8, macsec_bypass: false, delay: 0, prio_pfc: flagsOf(pfc).map((flag) => flag === 1) },
    }),
    app,
    ...(buffers && { buffer: { prio_buffer: buffers, buffer_size: sizes, total_size: TOTAL_BUFFER_BYTES } }),
    ...(classes && { ets: { prio_tc: classes.ofPriority, tc_tsa: classes.kinds, tc_bw: classes.weights } }),
    apptrust,
  }
  const json = JSON.stringify(sections)
  return json === '{}' ? '' : `${json}\n`
}

export const dcb: Form = perPort('dcb.json', 'dcb -j pfc show dev IF', text)
