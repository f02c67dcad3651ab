/** Flag of the traffic of a fabric, which no file tells. */
import { readTraffic } from '../../importers/fabric/index.ts'

export function trafficFlag(brief: string) {
  return { kind: 'parsed', parse: readTraffic, optional: true, placeholder: 'TRAFFIC', brief } as const
}
