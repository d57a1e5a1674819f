package diff

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// podCheck collects what the API server refuses of the spec of a pod. It covers what is easily written wrong, and not
// all that is checked there.
type podCheck struct {
	volumes []string // that containers can mount
	out     []refusal
}

func (p *podCheck) refuse(path, why string) { p.out = append(p.out, refusal{path, why}) }

// podRefusals reports what the API server refuses of the spec of a pod at a path. Claims are the volumes that a
// StatefulSet adds, and restarts the policies that the kind allows.
func podRefusals(path string, table map[string]any, claims []string, restarts ...corev1.RestartPolicy) []refusal {
	spec, unread := decodeOrRefuse[corev1.PodSpec](path, table)
	if len(unread) > 0 {
		return unread
	}
	p := podCheck{volumes: claims}
	p.checkVolumes(path+".volumes", spec.Volumes)
	if len(spec.Containers) == 0 {
		p.refuse(path+".containers", "there is none")
	}
	p.checkScheduling(path, &spec)
	var names, ports []string
	for _, list := range []struct {
		field string
		all   []corev1.Container
	}{{"initContainers", spec.InitContainers}, {"containers", spec.Containers}} {
		ports = nil // those of init containers are free again
		for i := range list.all {
			c := &list.all[i]
			at := path + "." + named(list.field, c.Name, i)
			names = p.checkName(at, "container", c.Name, names)
			ports = p.checkPorts(at+".ports", c.Ports, ports)
			p.checkContainer(at, c)
			p.checkHandlers(at, c, list.field == "initContainers")
		}
	}
	if policy := spec.RestartPolicy; !slices.Contains(restarts, policy) {
		p.refuse(path+".restartPolicy", "it has to be "+joinPolicies(restarts))
	}
	return p.out
}

// named returns an item of a list as paths name it: by its name, or its number.
func named(list, name string, i int) string {
	if name == "" {
		name = fmt.Sprint(i)
	}
	return list + "[" + name + "]"
}

func joinPolicies(all []corev1.RestartPolicy) string {
	var out []string
	for _, one := range all {
		if one != "" {
			out = append(out, string(one))
		}
	}
	return strings.Join(out, " or ")
}

// checkName takes the name of an item, which no other one may have, and returns those that are taken.
func (p *podCheck) checkName(at, what, name string, taken []string) []string {
	switch {
	case name == "":
		p.refuse(at, "it has no name")
	case slices.Contains(taken, name):
		p.refuse(at, "another "+what+" has this name")
	case len(validation.IsDNS1123Label(name)) > 0:
		p.refuse(at, "no "+what+" can have this name")
	default:
		return append(taken, name)
	}
	return taken
}

// checkVolumes takes the volumes of a pod.
func (p *podCheck) checkVolumes(path string, all []corev1.Volume) {
	var names []string
	for i, v := range all {
		at := path + named("", v.Name, i)
		if names = p.checkName(at, "volume", v.Name, names); v.Name != "" {
			p.volumes = append(p.volumes, v.Name)
		}
		switch s := v.VolumeSource; {
		case countSet(s) > 1:
			p.refuse(at, "it has more than one source")
		case s.ConfigMap != nil && s.ConfigMap.Name == "", s.Secret != nil && s.Secret.SecretName == "",
			s.PersistentVolumeClaim != nil && s.PersistentVolumeClaim.ClaimName == "":
			p.refuse(at, "it does not name its source")
		}
	}
}

// countSet returns how many fields of a struct of pointers are set.
func countSet(of any) (n int) {
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
			n++
		}
	}
	return n
}

// checkPorts takes the ports of a container, and returns the ports of the node that are taken.
func (p *podCheck) checkPorts(path string, all []corev1.ContainerPort, taken []string) []string {
	var names []string
	for i, port := range all {
		at := path + named("", port.Name, i)
		switch {
		case port.Name == "":
		case len(validation.IsValidPortName(port.Name)) > 0:
			p.refuse(at, "no port can have this name")
		case slices.Contains(names, port.Name):
			p.refuse(at, "another port has this name")
		default:
			names = append(names, port.Name)
		}
		if !isPort(port.ContainerPort) || port.HostPort != 0 && !isPort(port.HostPort) {
			p.refuse(at, "a port is a number from 1 to 65535")
		}
		or(&port.Protocol, corev1.ProtocolTCP)
		if !isProtocol(port.Protocol) {
			p.refuse(at+".protocol", "it is TCP, UDP or SCTP")
		}
		if host := fmt.Sprint(port.Protocol, port.HostIP, ":", port.HostPort); port.HostPort != 0 {
			if slices.Contains(taken, host) {
				p.refuse(at+".hostPort", "another port has it")
			}
			taken = append(taken, host)
		}
	}
	return taken
}

func isPort(n int32) bool { return len(validation.IsValidPortNum(int(n))) == 0 }

func isProtocol(p corev1.Protocol) bool {
	return p == corev1.ProtocolTCP || p == corev1.ProtocolUDP || p == corev1.ProtocolSCTP
}

// checkContainer takes what else a container holds but its probes.
func (p *podCheck) checkContainer(path string, c *corev1.Container) {
	switch {
	case c.Image == "":
		p.refuse(path+".image", "there is none")
	case c.Image != strings.TrimSpace(c.Image):
		p.refuse(path+".image", "no pod can have blanks around it")
	}
	var paths []string
	for i, m := range c.VolumeMounts {
		at := fmt.Sprint(path, ".volumeMounts[", i, "]")
		switch {
		case !slices.Contains(p.volumes, m.Name):
			p.refuse(at, "no volume is called "+show(m.Name))
		case m.MountPath == "":
			p.refuse(at, "it has no mountPath")
		case slices.Contains(paths, m.MountPath):
			p.refuse(at, "another mount has its mountPath")
		}
		paths = append(paths, m.MountPath)
	}
	for i, d := range c.VolumeDevices {
		if !slices.Contains(p.volumes, d.Name) {
			p.refuse(fmt.Sprint(path, ".volumeDevices[", i, "]"), "no volume is called "+show(d.Name))
		}
	}
	p.checkChoice(path+".imagePullPolicy", string(c.ImagePullPolicy), "Always", "IfNotPresent", "Never")
	for i, e := range c.Env {
		p.checkVariable(fmt.Sprint(path, ".env[", i, "]"), &e)
	}
	for i, from := range c.EnvFrom {
		if countSet(from) != 1 {
			p.refuse(fmt.Sprint(path, ".envFrom[", i, "]"), "it is of a ConfigMap or of a Secret")
		}
	}
	for name, asked := range c.Resources.Requests {
		if limit, ok := c.Resources.Limits[name]; ok && asked.Cmp(limit) > 0 {
			p.refuse(path+".resources.requests."+string(name), "it is more than the limit")
		}
	}
	s := c.SecurityContext
	if s == nil {
		return
	}
	p.checkUsers(path+".securityContext", user{"runAsUser", s.RunAsUser}, user{"runAsGroup", s.RunAsGroup})
	if isTrue(s.Privileged) && isFalse(s.AllowPrivilegeEscalation) {
		p.refuse(path+".securityContext.allowPrivilegeEscalation", "it cannot be false where privileged is true")
	}
}

func isTrue(b *bool) bool { return b != nil && *b }

func isFalse(b *bool) bool { return b != nil && !*b }

// checkVariable takes a variable. Its name is not repeated: it may be a line of a file with its value.
func (p *podCheck) checkVariable(at string, e *corev1.EnvVar) {
	switch {
	case e.Name == "":
		p.refuse(at, "it has no name")
	case len(validation.IsRelaxedEnvVarName(e.Name)) > 0:
		p.refuse(at, "no variable can have this name")
	}
	if e.ValueFrom == nil {
		return
	}
	at += ".valueFrom"
	switch n := countSet(*e.ValueFrom); {
	case n == 0:
		p.refuse(at, "it names no source")
	case e.Value != "":
		p.refuse(at, "it cannot be beside a value")
	case n > 1:
		p.refuse(at, "it has more than one source")
	}
	var name, key string
	switch from := e.ValueFrom; {
	case from.ConfigMapKeyRef != nil:
		name, key = from.ConfigMapKeyRef.Name, from.ConfigMapKeyRef.Key
	case from.SecretKeyRef != nil:
		name, key = from.SecretKeyRef.Name, from.SecretKeyRef.Key
	default:
		return
	}
	if name == "" || key == "" || len(validation.IsConfigMapKey(key)) > 0 {
		p.refuse(at, "it names no object or no key that one can have")
	}
}

// checkHandlers takes the probes of a container and what it runs at its start and end.
func (p *podCheck) checkHandlers(path string, c *corev1.Container, isInit bool) {
	isSidecar := c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
	for _, one := range []struct {
		field  string
		probe  *corev1.Probe
		single bool // one success is all that it takes
	}{
		{"livenessProbe", c.LivenessProbe, true}, {"readinessProbe", c.ReadinessProbe, false},
		{"startupProbe", c.StartupProbe, true},
	} {
		at := path + "." + one.field
		switch {
		case one.probe == nil:
			continue
		case isInit && !isSidecar:
			p.refuse(at, "an init container has none")
			continue
		case one.single && one.probe.SuccessThreshold > 1:
			p.refuse(at+".successThreshold", "it has to be 1")
		case min(one.probe.InitialDelaySeconds, one.probe.TimeoutSeconds, one.probe.PeriodSeconds,
			one.probe.SuccessThreshold, one.probe.FailureThreshold) < 0:
			p.refuse(at, "a number is negative")
		}
		p.checkHandler(at, one.probe.ProbeHandler)
	}
	if c.Lifecycle == nil {
		return
	}
	if isInit && !isSidecar {
		p.refuse(path+".lifecycle", "an init container has none")
		return
	}
	for field, h := range map[string]*corev1.LifecycleHandler{
		"postStart": c.Lifecycle.PostStart, "preStop": c.Lifecycle.PreStop,
	} {
		if h != nil {
			p.checkHandler(path+".lifecycle."+field, *h)
		}
	}
}

// checkHandler takes what is asked or run: one thing, at a port that there can be.
func (p *podCheck) checkHandler(path string, handler any) {
	switch n := countSet(handler); {
	case n == 0:
		p.refuse(path, "it says nothing to do")
	case n > 1:
		p.refuse(path, "it says more than one thing to do")
	}
}
