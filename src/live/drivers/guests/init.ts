/**
 * The first process of a guest, a script of shell. The kernel's command line has rl.ip4=ADDRESS/LENGTH, rl.ip6=ADDRESS/LENGTH,
 * rl.mtu=BYTES, rl.mark=WORD. When soft RoCE is ready, lines of the serial line are commands; after each comes "@@MARK STATUS".
 * Source: the order of the steps is ours; the options are those of iproute2, ethtool and busybox.
 */
export const INIT = `#!/bin/busybox sh
export PATH=/files:/programs:/bin HOME=/ LD_LIBRARY_PATH=/files:/libraries:/files-libraries
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /tmp
stty -echo -onlcr < /dev/ttyS0
stty raw -echo < /dev/ttyS1
while read -r module; do insmod "/modules/$module" || echo "module $module is not loaded"; done < /modules/order
ip4= ip6= mtu=1500 mark=end
for word in $(cat /proc/cmdline); do
  case $word in rl.ip4=* | rl.ip6=* | rl.mtu=* | rl.mark=*) eval "\${word#rl.}" ;; esac
done
/programs/ip link set lo up
/programs/ip link set eth0 mtu "$mtu"
# The only frames are then those of the programs under test.
echo 0 > /proc/sys/net/ipv6/conf/eth0/router_solicitations
echo 0 > /proc/sys/net/ipv6/conf/eth0/accept_dad
/programs/ethtool -K eth0 tso off gso off gro off
/programs/ip link set eth0 up
[ -z "$ip4" ] || /programs/ip addr add "$ip4" dev eth0
[ -z "$ip6" ] || /programs/ip -6 addr add "$ip6" dev eth0 nodad
tries=0
until /programs/rdma link add rxe0 type rxe netdev eth0 || [ $tries = 5 ]; do tries=$((tries + 1)); sleep 1; done
exec < /dev/ttyS0 > /dev/ttyS0 2>&1
echo "@@$mark ready"
while IFS= read -r line; do
  eval "$line" < /dev/null
  echo "@@$mark $?"
done
`
