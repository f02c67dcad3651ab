/**
 * The CLI of Enterprise SONiC.
 * Source: Dell Enterprise SONiC User Guide.
 */
import { knownOf, type Plain } from '../../../../core/device-model/index.ts'
import { switchSettingsOf } from '../../rules/look.ts'
import { applied, atPort, CLASSIFIED, common, paths } from './cli.ts'
import { blocks, DSCP_FIELDS, NOTHING, type Path, PFC_FIELDS, type Speech } from './target.ts'

export const SONIC_CLI: Speech = {
  print: blocks,
  rows: [
    {
      fields: PFC_FIELDS,
      say: (target) => {
        const port = `interface ${target.name}`
        const [now, wanted] = [(target.now('pfcClasses') ?? []) as readonly number[], target.list('pfcClasses')]
        return paths(
          ...wanted.filter((c) => !now.includes(c)).map((c): Path => [port, `priority-flow-control priority ${c}`]),
          ...now.filter((c) => !wanted.includes(c)).map((c): Path => [port, `no priority-flow-control priority ${c}`]),
        )
      },
    },
    {
      fields: ['isPfcAsymmetric'],
      say: atPort((target) => `${target.at('isPfcAsymmetric') === true ? '' : 'no '}priority-flow-control asymmetric`),
    },
    { fields: ['cableM'], say: atPort((target) => `cable-length ${target.text('cableM')}m`) },
    {
      fields: ['classes.*.isWatched'],
      say: (target) => {
        const { watchdog } = switchSettingsOf(target.device) ?? {}
        const timeMs = (time: Plain | undefined, usual: number): number =>
          typeof time === 'number' ? time / 1e9 : usual
        const port = `interface ${target.name}`
        return paths(
          [port, `priority-flow-control watchdog on detect-time ${timeMs(knownOf(watchdog?.detectionPs), 200)}`],
          [port, `priority-flow-control watchdog restore-time ${timeMs(knownOf(watchdog?.restorationPs), 400)}`],
        )
      },
    },
    { fields: ['device.watchdog.kind'], say: () => NOTHING },
    {
      fields: CLASSIFIED,
      say: (target) => applied(target, 'dscp map', DSCP_FIELDS, (name) => `qos-map dscp-tc ${name}`),
    },
    ...common('send').filter(({ fields }) => fields.includes('mtuBytes')),
  ],
}
