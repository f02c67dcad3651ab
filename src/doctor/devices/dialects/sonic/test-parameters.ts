/**
 * qos_params.CHIP.yaml: numbers of packets that a test of SONiC expects to fit in the buffers of a chip. They are no settings of
 * a device: the form is known so that such a file is not taken for one.
 * Source: sonic-mgmt, tests/qos/files.
 */
import type { Dialect } from '../dialect.ts'

export const sonicTestParameters: Dialect = {
  name: 'sonic-mgmt-qos-params',
  title: 'test parameters of sonic-mgmt: not a configuration',
  command: '',
  leavesOut: ['everything: numbers of packets of a test, no settings of a device'],
  recognises: ({ text }) => /^qos_params:[ \t]*$/m.test(text),
  read() {},
}
