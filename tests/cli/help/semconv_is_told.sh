trackway help semconv
