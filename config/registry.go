package config

// RegistryProvider is whose identity a registry is asked with, in the words that Flux has for it.
type RegistryProvider string

// The providers.
const (
	RegistryGeneric RegistryProvider = "generic" // what docker has, or a user and a password
	RegistryAWS     RegistryProvider = "aws"
	RegistryAzure   RegistryProvider = "azure"
	RegistryGCP     RegistryProvider = "gcp"
)

// RegistryProviders returns all of them.
func RegistryProviders() []string {
	return []string{string(RegistryGeneric), string(RegistryAWS), string(RegistryAzure), string(RegistryGCP)}
}
