/**
 * Changes: values of parameters that hold for some devices only, or from some time on.
 * Declarations only; changes.ts applies them, lab/network/device-values.ts keeps the values in force.
 */
import { anyValue, duration, group, list, text } from '../base/params.ts'

/** Each is a whole set of values for the devices that it concerns. */
const CHANGES_MAX = 10_000

export const changeParams = list(
  group(
    {
      path: text({
        help: 'path of the parameter, such as switch.buffer.alpha or pfc.classes; `rocelab list changes` shows which may differ or change',
      }),
      value: anyValue({ help: 'its value, as it is written at that path' }),
      at: duration({ default: 0, help: 'time from which it has this value; 0: from the start' }),
      nodes: text({
        default: 'all',
        help: 'devices: all, hosts, switches, or nodes by name ("host 3", "leaf 2") or id ("node 7", "7"), comma separated; a word without a number is all nodes of that name ("leaf")',
      }),
      ports: text({
        default: 'all',
        help: 'ports of these devices: all, hosts or fabric (by the other end of the link), up or down (by its tier), a rate or a length of cable or both ("400Gbps 40m"), or the nodes at the other ends, comma separated',
      }),
    },
    { help: 'another value of one parameter' },
  ),
  {
    default: [],
    maxItems: CHANGES_MAX,
    help: 'parameters with another value at some devices, or from a time on; at one instant in the order given, a later one over an earlier',
  },
)
