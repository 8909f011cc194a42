trackway help exit-codes
